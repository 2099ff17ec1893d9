import type { Config } from './config.ts';

/** What this version can not do yet although the API or the configuration has a place for it, in sentences. */
export const notAvailable = ({ security }: Config): string[] => [
  ...(security.oidc === undefined
    ? []
    : ['Single sign-on (security.oidc) is not available yet: nobody can log in, the system token opens the API.']),
  'Search in the text of messages (text: in filters) is not available yet.',
];
