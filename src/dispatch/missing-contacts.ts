import type { CommandSender } from '#actors/commands.ts';
import type { MissingContact, MissingContactReader } from '#actors/contact/missing.ts';
import type { Cancel, Clock, Logger } from '#actors/ports.ts';
import type { Features } from '#src/features.ts';
import type { Origin } from '#src/services.ts';
import { durably, Stopping } from './durably.ts';
import type { OwnedShards } from './owned-shards.ts';

export interface MissingContactsOptions {
  reader: MissingContactReader;
  shards: number;
  owned: OwnedShards;
  features: Features;
  clock: Clock;
  log: Logger;
  commandsFor(origin: Origin): CommandSender;
}

/** Conversations that are looked at, and contacts that are made, at once. */
const pageSize = 200;
/** Wait before a shard is looked through again after a failure, in ms. */
const retryDelay = 1_000;

/**
 * Gives contacts to the conversations that appeared while the hub kept none: looks through all of them once, shard by
 * shard, when contacts are on. Nothing is stored of how far it is: what has a contact is passed over quickly, and making
 * one twice makes one.
 */
export class MissingContacts {
  readonly #options: MissingContactsOptions;
  /** Shards that were looked through, or are. */
  readonly #begun = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting = new Set<Cancel>();
  #stopping = false;

  constructor(options: MissingContactsOptions) {
    this.#options = options;
  }

  /** Begins with the shards that are owned and were not looked through; called again when that may have changed. */
  wake(): void {
    const { features, owned, shards } = this.#options;
    // What appears while they are off is looked for when they are on again.
    if (!features.isOn('contacts')) this.#begun.clear();
    if (this.#stopping || !features.isOn('contacts')) return;
    for (let shard = 0; shard < shards; shard++) {
      if (!owned.has(shard)) this.#begun.delete(shard);
      else if (!this.#begun.has(shard)) this.#begin(shard);
    }
  }

  /** Begins nothing more, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const cancel of this.#waiting) cancel();
    await Promise.all(this.#running);
  }

  #begin(shard: number): void {
    this.#begun.add(shard);
    const run = this.#lookThrough(shard)
      .catch((error: unknown) => this.#failed(shard, error))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #lookThrough(shard: number): Promise<void> {
    const { reader, owned, clock, log } = this.#options;
    let made = 0;
    for (let after: number | null = null; !this.#stopping && owned.has(shard); ) {
      const { missing, last } = reader.look(shard, after, pageSize);
      await Promise.all(missing.map((one) => this.#make(one)));
      made += missing.length;
      if (last === null) {
        log.info({ shard, made }, 'contacts.complete');
        return;
      }
      if (missing.length > 0) log.info({ shard, made }, 'contacts.made');
      after = last;
      await new Promise<void>((resolve) => clock.soon(resolve));
    }
  }

  async #make({ contact, appearance, erasedBefore }: MissingContact): Promise<void> {
    const { clock, commandsFor } = this.#options;
    // One that was erased since is made another time.
    const idempotencyKey = `contact of ${appearance.conversationId} ${erasedBefore ?? ''}`;
    const origin = { cause: 'contacts on', idempotencyKey };
    await durably({ clock, commandsFor, stopping: () => this.#stopping }, origin, (commands) =>
      commands.send('contact', contact, 'contact.appear', appearance),
    );
  }

  #failed(shard: number, error: unknown): void {
    const { clock, log } = this.#options;
    this.#begun.delete(shard);
    if (error instanceof Stopping) return;
    log.error({ shard, reason: String(error) }, 'contacts.failed');
    const cancel = clock.schedule(retryDelay, () => {
      this.#waiting.delete(cancel);
      this.wake();
    });
    this.#waiting.add(cancel);
  }
}
