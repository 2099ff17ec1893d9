import type { Clock, Logger } from '#actors/ports.ts';
import type { Config } from '#src/config/config.ts';
import { onFirstUse } from '#src/outgoing/first-use.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** Where people log in, open until `close`. */
export interface Logins extends Pick<IdentityProvider, 'begin' | 'complete'> {
  close(): Promise<void>;
}

export interface LoginPorts {
  clock: Clock;
  log: Logger;
  /** Ports of this machine that no call reaches. */
  ownPorts?: ReadonlySet<number> | undefined;
}

/** Logins as they are configured; null: there are none. What speaks to the provider is loaded with the first one. */
export function loginsOf(
  { security: { oidc }, outgoing }: Config,
  { clock, log, ownPorts }: LoginPorts,
): Logins | null {
  if (oidc === undefined) return null;
  const { allowNetworks } = outgoing;
  const first = onFirstUse(async () => {
    const { createGuardedFetch } = await import('#src/outgoing/guarded-fetch.ts');
    const { IdentityProvider } = await import('./identity-provider.ts');
    const calls = createGuardedFetch({ allowNetworks, ownPorts });
    return { calls, provider: new IdentityProvider(oidc, { fetch: calls.fetch, clock, log }) };
  });
  return {
    begin: async (...asked) => (await first.get()).provider.begin(...asked),
    complete: async (...asked) => (await first.get()).provider.complete(...asked),
    close: async () => (await first.made())?.calls.close(),
  };
}
