import type { EventJson } from '#actors/representation.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { answered, type Answering, type Callee, failed } from './calls.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Tenure, Tenures } from './tenures.ts';
import type { Trace } from './trace.ts';
import { textOf } from './witness.ts';

/** What a receiver of webhooks does with a call. */
type Conduct = 'takes' | 'takes-late' | 'takes-unheard' | 'breaks' | 'throttles' | 'refuses' | 'hangs' | 'leaves';

/** How a receiver is at the moment: how likely each conduct is. */
export const receiverMoods = {
  well: { takes: 1 },
  flaky: {
    takes: 60,
    'takes-late': 4,
    'takes-unheard': 6,
    breaks: 10,
    throttles: 6,
    refuses: 8,
    hangs: 4,
    leaves: 0.3,
  },
  down: { refuses: 4, hangs: 1, breaks: 1 },
  slow: { 'takes-late': 4, hangs: 1 },
  busy: { throttles: 3, takes: 1 },
} satisfies Record<string, Partial<Record<Conduct, number>>>;

export type ReceiverMood = keyof typeof receiverMoods;

/** An event that a receiver took. */
export interface Receipt {
  /** What the event says (`textOf`). */
  text: string;
  cursor: string;
  /** Its number in the trace. */
  call: number;
  hub: SimulatedProcess;
  /** Of all shards, when it was taken. */
  tenures: readonly Tenure[];
  /** The hub got the answer. */
  known: boolean;
}

/** Which receiver an address belongs to: several may be the same one's. */
export const receiverOf = (url: string): string => new URL(url).hostname;

/** The receivers' side of every call: endpoints that take, fail, hang, are slow and come back. */
export class SimulatedReceivers implements Callee {
  mood: ReceiverMood = 'flaky';
  readonly moods = new Map<string, ReceiverMood>();
  /** By receiver, in the order of arrival. */
  readonly receipts = new Map<string, Receipt[]>();
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #tenures: Tenures;
  #calls = 0;

  constructor(random: Random, trace: Trace, tenures: Tenures) {
    this.#random = random;
    this.#trace = trace;
    this.#tenures = tenures;
  }

  called(): void {}

  answer(hub: SimulatedProcess, request: OutgoingRequest): Answering {
    const receiver = receiverOf(request.url);
    const random = this.#random;
    const conduct = random.weighted<Conduct>(receiverMoods[this.moods.get(receiver) ?? this.mood]);
    const event = JSON.parse(String(request.body)) as EventJson;
    const call = ++this.#calls;
    this.#trace.note('hook', `${call} ${receiver} ${event.type} ${event.seq} ${conduct}`);
    const after = random.int(random.chance(0.1) ? 1_000 : 30);
    const timeout = { after: request.timeoutMs ?? 10_000, result: failed('timeout') };
    if (conduct.startsWith('takes')) {
      const receipt = this.#take(receiver, event, call, hub);
      const heard = (): void => {
        receipt.known = true;
      };
      if (conduct === 'takes-unheard') return random.chance(0.5) ? timeout : { after, result: failed('connection') };
      const late = conduct === 'takes-late' ? 1_000 + random.int(12_000) : 0;
      return { after: after + late, result: answered(random.pick([200, 202, 204]), 'thanks'), heard };
    }
    if (conduct === 'breaks') return { after, result: answered(random.pick([500, 404, 302]), 'oops') };
    if (conduct === 'throttles') return { after, result: answered(random.pick([429, 503]), '', String(random.int(6))) };
    if (conduct === 'leaves') return { after, result: answered(410, '') };
    return conduct === 'refuses' ? { after, result: failed('connection') } : timeout;
  }

  #take(receiver: string, event: EventJson, call: number, hub: SimulatedProcess): Receipt {
    const receipt: Receipt = {
      text: textOf(event),
      cursor: event.cursor,
      call,
      hub,
      tenures: this.#tenures.now(),
      known: false,
    };
    const receipts = this.receipts.get(receiver) ?? [];
    receipts.push(receipt);
    this.receipts.set(receiver, receipts);
    return receipt;
  }
}
