import type { OidcConfig } from '#src/config/config.ts';

/** Names a provider: its issuer without the scheme. User ids begin with it, so that two providers never share one. */
export const providerName = ({ issuer }: Pick<OidcConfig, 'issuer'>): string =>
  issuer.replace(/^https?:\/\//, '').replace(/\/$/, '');
