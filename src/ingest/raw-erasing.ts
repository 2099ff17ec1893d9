import type { StoreReader } from '#actors/store-reader.ts';
import type { RawUpdates } from '#actors/store/raw-updates.ts';
import { conversationSubject } from './raw-subjects.ts';

/**
 * Forgets what platforms sent of conversations that were erased since, as it came. What waits to be taken in is none of it:
 * it was written later, or is left out then. A kill before it leaves it to the next look, the first of which is at the start.
 */
export class RawErasing {
  readonly #store: Pick<StoreReader, 'conversations'>;
  readonly #raw: Pick<RawUpdates, 'forget'>;
  /** When the erasures were that are done. */
  readonly #done = new Map<string, number | null>();

  constructor({ store, raw }: { store: Pick<StoreReader, 'conversations'>; raw: Pick<RawUpdates, 'forget'> }) {
    this.#store = store;
    this.#raw = raw;
  }

  look(): void {
    for (const { id, at } of this.#store.conversations.erased()) {
      if (this.#done.get(id) === at) continue;
      // A turn that is no longer kept was longer ago than raw updates are.
      if (at !== null) this.#raw.forget(conversationSubject(id), at);
      this.#done.set(id, at);
    }
  }
}
