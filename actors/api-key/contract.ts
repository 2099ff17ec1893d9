import type { ApiKeyJson } from '../representation.ts';

/** What a key lets its holder do. */
export interface ApiKeyRights {
  /** `messages.send`, `conversations.*` for all of a resource, or `*`. */
  operations: string[];
  /** Absent: bound to no source, it sees those of all. */
  sources?: string[];
}

/** The commands of an API key: type → body and result. */
export type ApiKeyCommands = {
  /** `hash`: of the key's text, which the hub does not keep. A key that is there already is not made again. */
  'api-key.create': {
    body: ApiKeyRights & { name: string; hash: string; createdBy: string };
    result: { key: ApiKeyJson };
  };
  /** It opens nothing from now on; again: nothing changes. @throws Failure `not_found` */
  'api-key.revoke': { body: null; result: null };
  /** It was used. Told now and then, not each time. */
  'api-key.note-use': { body: null; result: null };
};
