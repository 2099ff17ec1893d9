import type { ParkedMetadata, ParkedReader } from '#actors/source/parked-reader.ts';
import { sourceActorId } from '#actors/ids.ts';
import type { Logger } from '#actors/ports.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import { targetsOf } from '#src/ingest/targets.ts';
import type { Services } from '#src/services.ts';

export interface ParkedMetadataOptions {
  parked: ParkedReader;
  store: StoreReader;
  log: Logger;
  commandsFor: Services['commandsFor'];
}

const atOnce = 100;

/**
 * Applies metadata that came before its conversation or message (docs/api.md, "Source API"). It looks after every
 * commit, so it does not matter which of the two was stored first; applying twice has the effect of once, by derived
 * command ids.
 */
export class ParkedMetadataDelivery {
  readonly #options: ParkedMetadataOptions;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(options: ParkedMetadataOptions) {
    this.#options = options;
  }

  wake(): void {
    if (this.#running !== null) {
      this.#again = true;
      return;
    }
    this.#running = this.#applyAll().finally(() => {
      this.#running = null;
      if (this.#again) {
        this.#again = false;
        this.wake();
      }
    });
  }

  async stop(): Promise<void> {
    this.#again = false;
    await this.#running;
  }

  async #applyAll(): Promise<void> {
    try {
      for (const parked of this.#options.parked.appeared(atOnce)) await this.#apply(parked);
    } catch (error) {
      this.#options.log.warn({ reason: String(error) }, 'parked_metadata.deferred');
    }
  }

  async #apply({ key, sourceId, namespace, target, metadata }: ParkedMetadata): Promise<void> {
    const { store, commandsFor } = this.#options;
    const origin = { cause: `parked metadata ${key}`, idempotencyKey: `parked metadata ${key}` };
    const targets = targetsOf(store, sourceId, { namespace, sourceId: target });
    for (const { conversationId, messageId } of targets) {
      await commandsFor(origin).send('conversation', conversationId, 'metadata.merge', { messageId, metadata });
    }
    await commandsFor(origin).send('source', sourceActorId(sourceId), 'metadata.unpark', { keys: [key] });
  }
}
