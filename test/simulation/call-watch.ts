import { shardOf } from '#actors/runtime/shard.ts';
import type { SimulatedNode } from './node.ts';
import type { SimulatedProcess } from './process.ts';
import type { Tenure, Tenures } from './tenures.ts';
import type { VirtualTime } from './virtual-time.ts';

/** More effects than wait in any run. */
const manyEffects = 10_000;
/** How long something of an owner that was replaced may be under way, leaps left out, in ms. */
const longestEcho = 60_000;

export interface CallWatchOptions {
  shards: number;
  time: VirtualTime;
  tenures: Tenures;
  nodes(): readonly SimulatedNode[];
  problem(text: string): void;
}

/** Sees for which messages sources are called: only the owner of a conversation calls, for the head of its lane. */
export class CallWatch {
  /** Calls by message. */
  readonly calls = new Map<string, number>();
  readonly #options: CallWatchOptions;

  constructor(options: CallWatchOptions) {
    this.#options = options;
  }

  /** A hub calls for a message. */
  called(hub: SimulatedProcess, messageId: string): void {
    const { tenures, time, problem } = this.#options;
    this.calls.set(messageId, (this.calls.get(messageId) ?? 0) + 1);
    const shard = this.#shardOf(messageId);
    const tenure = tenures.of(shard);
    if (tenures.absence(shard, hub.node) > longestEcho) {
      problem(`${hub.name} called for ${messageId}, whose shard it has not owned for long`);
    }
    // In the beginning of a tenure, or of a process, what the one before has begun may come to its end.
    const begun = Math.max(tenure.begun, hub.begun);
    const isSettled = tenure.node === hub.node && time.passed() - begun > longestEcho;
    if (isSettled && !this.#isHead(hub, messageId)) {
      problem(`${hub.name} called for ${messageId}, which is not the head of its lane`);
    }
  }

  /** The tenure in which a hub calls for a message; null: another node's. */
  tenureOf(hub: SimulatedProcess, messageId: string): Tenure | null {
    const tenure = this.#options.tenures.of(this.#shardOf(messageId));
    return tenure.node === hub.node ? tenure : null;
  }

  /** Whether a message is of a shard. */
  isIn(shard: number, messageId: string): boolean {
    return this.#shardOf(messageId) === shard;
  }

  #shardOf(messageId: string): number {
    const { nodes, shards } = this.#options;
    const found = nodes().map(({ store }) => store.messages.find(messageId));
    return shardOf(found.find((each) => each !== null)?.conversationId ?? '', shards);
  }

  #isHead(hub: SimulatedProcess, messageId: string): boolean {
    const { nodes, shards } = this.#options;
    const { outbox, deliveries } = nodes().find(({ name }) => name === hub.node)!.store;
    const effects = Array.from({ length: shards }, (_, shard) => outbox.after(shard, -1, manyEffects)).flat();
    const mine = effects.find(({ subject }) => deliveries.find(subject)?.message.id === messageId);
    return mine !== undefined && mine === effects.find(({ lane }) => lane === mine.lane);
  }
}
