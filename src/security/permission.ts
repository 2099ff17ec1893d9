import { Failure } from '#actors/errors.ts';
import type { Caller } from './caller.ts';

/**
 * What API keys may do with an operation, beside that its name must be among those of the key. `bound`: it shows and
 * does only what is of the sources that the key is bound to; `unbound`: keys that are bound to sources are refused;
 * `none`: all are, as who has one could give itself more.
 */
export type KeyAccess = 'bound' | 'unbound' | 'none';

/** What is asked of a caller: an operation of the core API, or what is as good as one. */
export interface Asked {
  path: string;
  /** Absent: `unbound`. */
  keys?: KeyAccess;
}

/** @throws Failure `forbidden` when the caller has a key that does not open this */
export function assertMayCall(caller: Caller, { path, keys = 'unbound' }: Asked): void {
  if (caller.kind !== 'key') return;
  const name = path.slice(1);
  if (keys === 'none')
    throw new Failure('forbidden', `${name} is for the system token and for people, not for API keys.`);
  if (!caller.operations.some((pattern) => opens(pattern, name))) {
    throw new Failure('forbidden', `This API key does not open ${name}: it opens ${caller.operations.join(', ')}.`);
  }
  if (caller.sources !== null && keys !== 'bound') {
    throw new Failure('forbidden', `${name} is about all sources, and this API key is bound to some.`);
  }
}

/** `*` opens everything, `conversations.*` what begins with `conversations.`, anything else itself. */
function opens(pattern: string, name: string): boolean {
  return pattern === '*' || pattern === name || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
}
