import type http from 'node:http';
import type { Clock } from '#actors/ports.ts';
import type { Connection, Statement } from '#actors/store/database.ts';
import type { OpenStoreReader } from '#actors/store-reader.ts';
import { createOutgoingClient, type OutgoingClient } from '#src/outgoing/client.ts';
import { WebhookDispatcher } from '#src/dispatch/webhooks/webhook-dispatcher.ts';
import { followSignals } from '#src/node/services.ts';
import { Growth } from '#src/runtime/growth.ts';
import { SystemIds } from '#src/runtime/system.ts';
import { type ActorSystem, connectTestChannel, silent } from '../_support/actor-system.ts';
import { ingest, Subscriber } from '../actors/webhook-support.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export { ingest };

/** One event as the receiver got it. */
export interface Receipt {
  id: string;
  conversation: string;
  seq: number;
  text: string;
  status: number;
}

export type Answer = (receipt: Omit<Receipt, 'status'>) => number | Promise<number>;

/** A receiver of webhooks in which a test says what is answered, by status; headers may be set too. */
export interface WebhookReceiver extends AsyncDisposable {
  receiver: Receiver;
  url: string;
  receipts: Receipt[];
  answer: Answer;
  headers: Record<string, string>;
  /** Calls under way, at most so far; of one conversation likewise. */
  peak: number;
  peakOfOne: number;
}

export async function receiveWebhooks(answer: Answer = () => 200): Promise<WebhookReceiver> {
  const running = new Map<string, number>();
  let inAll = 0;
  const state: Omit<WebhookReceiver, 'receiver' | typeof Symbol.asyncDispose> = {
    url: '',
    receipts: [],
    answer,
    headers: {},
    peak: 0,
    peakOfOne: 0,
  };
  const receiver = await startReceiver((response) => void reply(response), '127.0.0.1');

  async function reply(response: http.ServerResponse): Promise<void> {
    const request = receiver.requests.at(-1)!;
    const event = JSON.parse(request.body.toString()) as {
      seq: number;
      payload: { conversation_id: string; message: { content: { text: string } } };
    };
    const conversation = event.payload.conversation_id;
    const text = event.payload.message.content.text;
    const receipt = { id: String(request.headers['webhook-id']), conversation, seq: event.seq, text };
    const ofOne = (running.get(conversation) ?? 0) + 1;
    running.set(conversation, ofOne);
    state.peak = Math.max(state.peak, ++inAll);
    state.peakOfOne = Math.max(state.peakOfOne, ofOne);
    const status = await state.answer(receipt);
    inAll--;
    running.set(conversation, running.get(conversation)! - 1);
    state.receipts.push({ ...receipt, status });
    response.writeHead(status, state.headers).end('said');
  }

  state.url = `http://127.0.0.1:${receiver.port}/hook`;
  return Object.assign(state, { receiver, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() });
}

/** A dispatcher beside a host, as the hub wires it. */
export class Dispatching implements AsyncDisposable {
  readonly system: ActorSystem;
  readonly reader: OpenStoreReader;
  readonly client: OutgoingClient;
  readonly #options: { timeoutMs?: number; clock?: Clock };
  #dispatcher: WebhookDispatcher | null = null;
  readonly #connection: Connection;
  readonly #nextTimer: Statement;
  readonly #cancel: () => void;

  constructor(system: ActorSystem, options: { timeoutMs?: number; clock?: Clock } = {}) {
    this.system = system;
    this.#options = options;
    this.reader = system.reader();
    this.#connection = system.open();
    this.#nextTimer = this.#connection.prepare('SELECT min(due) FROM timer').pluck();
    this.client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'], connectionsPerOrigin: 64 });
    const growth = new Growth();
    growth.on('feed', () => this.#dispatcher?.feedGrew());
    growth.on('webhooks', () => this.#dispatcher?.wake());
    this.#cancel = followSignals(growth, system.bus, system.clock);
    this.start();
  }

  get dispatcher(): WebhookDispatcher {
    return this.#dispatcher!;
  }

  start(): void {
    this.#dispatcher = new WebhookDispatcher({
      reader: this.reader.webhookDeliveries,
      clock: this.system.clock,
      ids: new SystemIds(),
      log: silent,
      client: this.client,
      unread: () => null,
      // Longer than the leaps of the clock: a command expires by it.
      commandsFor: (origin) => this.system.commands(origin, 24 * 3_600_000),
      ...this.#options,
    });
    this.#dispatcher.wake();
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
    this.#dispatcher = null;
  }

  /** Lets `step` ms of the test's clock go by in each turn, until something holds. */
  async until(fact: () => boolean, step = 20, turns = 4_000): Promise<void> {
    for (let turn = 0; !fact(); turn++) {
      if (turn === turns) throw new Error('it did not come about');
      const { clock } = this.system;
      if (step <= 100 || (this.#dispatcher?.inFlight ?? 0) > 0) {
        clock.advance(Math.min(step, 20));
        await new Promise((resolve) => setTimeout(resolve, 1));
      } else {
        await this.#rest();
        // A timer that fires in the midst of a leap would find its command expired at the end of it.
        const due = (this.#nextTimer.get() as number | null) ?? Infinity;
        clock.advance(Math.min(step, Math.max(20, due - clock.now())));
      }
    }
    await this.system.settle();
  }

  async #rest(): Promise<void> {
    for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
    await this.system.settle();
  }

  /** Lets time go by, and everything that follows from it happen. */
  async pass(ms: number, step = 20): Promise<void> {
    const end = this.system.clock.now() + ms;
    await this.until(() => this.system.clock.now() >= end, step);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#cancel();
    await this.client.close();
    this.#connection.close();
    this.reader.close();
  }
}

/** A subscriber of new messages whose receiver is `url`, on a connected channel. */
export async function subscribe(system: ActorSystem, url: string): Promise<Subscriber> {
  await connectTestChannel(system.commands());
  const subscriber = new Subscriber(system);
  await subscriber.subscribe({ url, events: ['message.created'], signatureKey: 'a-plain-key' });
  return subscriber;
}

/** Texts `<prefix>1` … `<prefix>n`. */
export const texts = (count: number, prefix = 'm'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);

/** What was taken in, by conversation, in the order of arrival. */
export function taken(receipts: readonly Receipt[]): Map<string, number[]> {
  const byConversation = new Map<string, number[]>();
  for (const { conversation, seq, status } of receipts) {
    if (status !== 200) continue;
    byConversation.set(conversation, [...(byConversation.get(conversation) ?? []), seq]);
  }
  return byConversation;
}
