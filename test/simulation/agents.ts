import type { MessageJson } from '#actors/representation.ts';
import { contacts } from './cast.ts';
import type { Clients } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

/** One that a client can ask for again, with the same body. */
interface AskedSend {
  conversation: string;
  to: object;
  text: string;
  key: string | null;
}

const hour = 3_600_000;
/** How long the hub keeps the answer of a key, in ms. */
const keyLifetime = 24 * hour;

/** What users of the core API ask for, as chance will have it. */
export class Agents {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #ledger: Ledger;
  /** Sends with a key that were acknowledged. */
  readonly #keyed: { asked: AskedSend; at: number }[] = [];
  #made = 0;

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    this.#clients = clients;
    this.#ledger = ledger;
  }

  send(): void {
    const { conversation } = this.#world.random.pick(contacts);
    const count = 1 + this.#world.random.int(2);
    for (let n = 0; n < count; n++) this.#send(conversation, { conversation_id: conversation });
  }

  /** Writes into a conversation that is there. */
  answer(conversation: string): void {
    this.#send(conversation, { conversation_id: conversation });
  }

  /** Writes to somebody who may not have written yet. */
  start(): void {
    const { conversation, channel, name } = this.#world.random.pick(contacts);
    this.#send(conversation, { channel_id: channel, source_recipient_id: name });
  }

  resend(): void {
    const { random } = this.#world;
    const ids = this.#ledger.sends.map(({ id }) => id).filter((id) => id !== null);
    const failed = ids.filter((id) => this.#world.stateOf(id) === 'failed');
    const id = random.pick(failed.length > 0 && random.chance(0.8) ? failed : ids);
    if (id === undefined) return;
    this.#clients.ask({
      name: `resend ${id}`,
      path: '/messages.resend',
      body: { message_id: id },
      inDoubt: random.chance(0.5) ? 'key' : 'give up',
    });
  }

  markRead(): void {
    const { conversation } = this.#world.random.pick(contacts);
    this.#clients.ask({
      name: `read ${conversation}`,
      path: '/conversations.mark-read',
      body: { conversation_id: conversation },
      inDoubt: 'give up',
    });
  }

  setState(): void {
    const { random } = this.#world;
    const { conversation } = random.pick(contacts);
    const state = random.pick(['OPEN', 'CLOSED', null] as const);
    this.#clients.ask({
      name: `state ${conversation}`,
      path: state === null ? '/conversations.remove-state' : '/conversations.set-state',
      body: { conversation_id: conversation, ...(state !== null && { state }) },
      inDoubt: random.chance(0.5) ? 'key' : 'give up',
    });
  }

  rename(): void {
    const { random } = this.#world;
    const { conversation, name } = random.pick(contacts);
    this.#clients.ask({
      name: `rename ${conversation}`,
      path: '/conversations.update-contact',
      body: { conversation_id: conversation, display_name: `${name} ${this.#made++}` },
      inDoubt: random.pick(['key', 'again', 'give up']),
    });
  }

  upsert(): void {
    const { random } = this.#world;
    const { conversation } = random.pick(contacts);
    const kept = { conversation, key: `k${this.#made++}`, acknowledged: false, denied: false };
    this.#ledger.metadata.push(kept);
    this.#clients.ask({
      name: `upsert ${kept.key}`,
      path: '/metadata.upsert',
      body: { subject: 'conversation', id: conversation, data: { [kept.key]: true } },
      inDoubt: random.chance(0.5) ? 'key' : 'give up',
      acknowledged: () => {
        kept.acknowledged = true;
      },
      denied: () => {
        kept.denied = true;
      },
    });
  }

  /** Uses a key again, with the same body, when it has expired: the day between passes at once. Nobody may be asking. */
  reuse(): void {
    const { random, time } = this.#world;
    time.leap(keyLifetime + 1 + random.int(2 * hour));
    // A key that was used while the clock was ahead is good for longer.
    const expired = this.#keyed.filter(({ at }) => at + keyLifetime < this.#world.now());
    const used = random.pick(expired);
    if (used !== undefined) this.#ask(used.asked);
  }

  #send(conversation: string, to: object): void {
    const text = `text ${this.#made++}`;
    const key = this.#world.random.chance(0.5) ? `send-${this.#made}` : null;
    this.#ask({ conversation, to, text, key });
  }

  #ask(asked: AskedSend): void {
    const { conversation, to, text, key } = asked;
    const kept = this.#ledger.send(text, conversation);
    this.#clients.ask({
      name: `send ${text}`,
      path: '/messages.send',
      body: { ...to, message: { text } },
      inDoubt: key === null ? 'give up' : 'key',
      ...(key !== null && { key }),
      acknowledged: ({ status, headers, body }) => {
        if (key !== null && kept.acknowledged === null) this.#keyed.push({ asked, at: this.#world.now() });
        kept.acknowledged = status === 202 ? 'parked' : 'stored';
        kept.id = status === 202 ? headers['x-message-id']! : (body as MessageJson).id;
      },
      denied: () => {
        kept.denied = true;
      },
    });
  }
}
