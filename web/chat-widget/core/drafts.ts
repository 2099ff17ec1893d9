import type { Json } from './contract.ts';
import { type KeyValueStorage, readJson } from './environment.ts';

/** What the visitor has written and the hub has not confirmed yet. */
export interface Draft {
  /** Its name in the conversation: sending it again never makes a second Message. */
  name: string;
  content: Json;
  /** Epoch ms; no two of a page have the same. */
  writtenAt: number;
  /** The id of the last Message that was there when it was written. */
  behind?: string | undefined;
  /** It was sent at least once, with an outcome that may be unknown. */
  tried?: boolean;
  /** Why it will not be sent by itself. */
  problem?: string;
}

/**
 * The drafts of all tabs, in the order in which they were written. It keeps no copy, as the storage is what tabs share,
 * and each draft has a key of its own there, so that tabs which write at the same time do not undo each other.
 */
export class Drafts {
  readonly #storage: KeyValueStorage;
  readonly #prefix: string;

  /** @param prefix of the keys in the storage */
  constructor(storage: KeyValueStorage, prefix: string) {
    this.#storage = storage;
    this.#prefix = prefix;
  }

  get all(): Draft[] {
    const drafts = this.#storage.keys(this.#prefix).map((key) => readJson<Draft>(this.#storage.get(key)));
    return drafts.filter((draft) => draft !== null).sort((one, other) => one.writtenAt - other.writtenAt);
  }

  /** The next one to send; one with a problem waits for the visitor. */
  get next(): Draft | undefined {
    return this.all.find(({ problem }) => problem === undefined);
  }

  add(draft: Draft): void {
    const last = this.all.at(-1)?.writtenAt ?? 0;
    this.#put({ ...draft, writtenAt: Math.max(draft.writtenAt, last + 1) });
  }

  /** Changes a draft that is still there. */
  change(draft: Draft): void {
    if (this.#storage.get(this.#prefix + draft.name) !== null) this.#put(draft);
  }

  remove(name: string): void {
    this.#storage.set(this.#prefix + name, null);
  }

  clear(): void {
    for (const { name } of this.all) this.remove(name);
  }

  #put(draft: Draft): void {
    this.#storage.set(this.#prefix + draft.name, JSON.stringify(draft));
  }
}
