import type { Config } from './config.ts';

/** What this version can not do yet although the API or the configuration has a place for it, in sentences. */
export const notAvailable = (_config: Config): string[] => [
  'Search in the text of messages (text: in filters) is not available yet.',
];
