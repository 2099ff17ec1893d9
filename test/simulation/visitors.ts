import { channelId } from '#actors/ids.ts';
import { uuidToBytes } from '#actors/uuid.ts';
import { Chat } from '#web/chat-widget/core/chat.ts';
import { memoryStorage, readJson } from '#web/chat-widget/core/environment.ts';
import type { Ticket } from '#web/chat-widget/core/visit.ts';
import type { Clients } from './clients.ts';
import { host, VisitorPage } from './visitor-page.ts';
import { conversationIn } from './visitor-tokens.ts';
import type { World } from './world.ts';

const channelName = 'web';
const channel = channelId('chatplugin', channelName);
const visitorCount = 3;

/** A Message as the store has it. */
interface Kept {
  text: string;
  fromVisitor: 0 | 1;
  state: string;
  /** Epoch ms. */
  at: number;
}

/** Somebody on a page with the widget's own core, whose storage outlives the page. */
class SimulatedVisitor {
  readonly name: string;
  /** What was written, in its order. */
  readonly said: string[] = [];
  readonly #world: World;
  readonly #clients: Clients;
  readonly #storage = memoryStorage();
  #page: VisitorPage | null = null;
  #chat: Chat | null = null;

  constructor(world: World, clients: Clients, name: string) {
    this.#world = world;
    this.#clients = clients;
    this.name = name;
  }

  /** Null: nothing was written, or no request has begun it yet. */
  get conversation(): string | null {
    const ticket = readJson<Ticket>(this.#storage.get(`parley:${host}:${channel}`));
    return ticket === null ? null : conversationIn(ticket.resumeToken);
  }

  say(): void {
    const chat = this.come();
    if (chat.state.phase !== 'new' && chat.state.phase !== 'active') return;
    const text = `${this.name} ${this.said.length}`;
    this.said.push(text);
    chat.send({ text });
  }

  come(): Chat {
    if (this.#chat !== null) return this.#chat;
    this.#page = new VisitorPage(this.#world, this.#clients, this.#storage);
    this.#chat = new Chat({ host, channelId: channel }, this.#page.environment);
    return this.#chat;
  }

  /** The page is closed, whatever is on its way. */
  leave(): void {
    this.#chat?.close();
    this.#page?.leave();
    this.#chat = null;
  }

  disturb(): void {
    this.#page?.disturb();
  }

  /** Nothing is to be sent any more, and what comes is heard. */
  get isQuiet(): boolean {
    if (this.#chat === null) return false;
    const { phase, connection, lines } = this.#chat.state;
    const isThere = this.said.length === 0 ? phase === 'new' : phase === 'active' && connection === 'online';
    return isThere && lines.every(({ status }) => status === 'sent');
  }

  /** What it is by now, to be read by people. */
  get state(): string {
    const { phase, connection, lines } = this.#chat?.state ?? { phase: 'away', connection: '', lines: [] };
    return `${phase} ${connection} ${lines.filter(({ status }) => status !== 'sent').map(({ key, status }) => `${status} ${key}`)}`;
  }

  /** What is otherwise than it must be, once all is quiet. */
  problems(): string[] {
    const kept = this.#kept();
    const said = kept.filter(({ fromVisitor }) => fromVisitor === 1).map(({ text }) => text);
    const lines = this.come().state.lines.map(({ content, at }) => ({ text: (content as { text: string }).text, at }));
    const failed = new Set(kept.filter(({ state }) => state === 'failed').map(({ text }) => text));
    const due = kept.filter(({ state }) => state !== 'failed');
    // Of what failed some was shown before that, and some never.
    const shown = lines.filter(({ text }) => !failed.has(text));
    return [
      ...differences(`${this.name} said`, this.said, said),
      ...differences(`${this.name} is shown`, inTime(due), inTime(shown)),
      ...(lines.every(({ at }, n) => n === 0 || lines[n - 1]!.at <= at) ? [] : [`${this.name} is shown a disorder`]),
    ];
  }

  /** What the hub has of the conversation, in the order in which it came. */
  #kept(): Kept[] {
    const { conversation } = this;
    if (conversation === null) return [];
    const rows = this.#world.db.prepare(
      `SELECT m.content ->> 'text' AS text, m.from_contact AS fromVisitor, m.state, m.sent_at AS at FROM message m
       JOIN conversation c ON c.key = m.conversation WHERE c.id = ? ORDER BY m.key`,
    );
    return rows.all(uuidToBytes(conversation)) as Kept[];
  }
}

/** The texts by their times; of one moment no order is known to a visitor. */
const inTime = (messages: readonly { text: string; at: number }[]): string[] =>
  messages.toSorted((one, other) => one.at - other.at || (one.text < other.text ? -1 : 1)).map(({ text }) => text);

const differences = (what: string, due: readonly string[], are: readonly string[]): string[] =>
  JSON.stringify(due) === JSON.stringify(are)
    ? []
    : [`${what} ${JSON.stringify(are)} in place of ${JSON.stringify(due)}`];

/** Visitors of a web page: they write, leave and come back, while agents answer and the channel goes off and on. */
export class Visitors {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #visitors: readonly SimulatedVisitor[];

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
    const names = Array.from({ length: visitorCount }, (_, n) => `visitor ${n}`);
    this.#visitors = names.map((name) => new SimulatedVisitor(world, clients, name));
  }

  /** The channel, before any fault. */
  prepare(): void {
    this.#connect();
  }

  say(): void {
    this.#someone().say();
  }

  /** Somebody loads a page anew, closes it or comes back. */
  move(): void {
    const visitor = this.#someone();
    const { random } = this.#world;
    if (random.chance(0.7)) visitor.leave();
    if (random.chance(0.7)) visitor.come();
  }

  disturb(): void {
    this.#someone().disturb();
  }

  /** The channel is switched off or on. */
  connection(): void {
    if (this.#world.random.chance(0.6)) this.#connect();
    else this.#ask('/channels.chatplugin.disconnect', { channel_id: channel });
  }

  /** A conversation for agents to write to; undefined: there is none yet. */
  someConversation(): string | undefined {
    return this.#world.random.pick(this.#visitors.map(({ conversation }) => conversation)) ?? undefined;
  }

  /** Everybody comes back to a channel that is on, when nobody asks for anything any more. */
  recover(): void {
    if (this.#clients.underWay > 0) return;
    if (this.#world.store.channels.find(channel)?.connected !== true) this.#connect();
    for (const visitor of this.#visitors) visitor.come();
  }

  get areQuiet(): boolean {
    return this.#visitors.every(({ isQuiet }) => isQuiet);
  }

  /** What they are by now, to be read by people. */
  get states(): string[] {
    return this.#visitors.map(({ state }) => state);
  }

  problems(): string[] {
    return this.#visitors.flatMap((visitor) => visitor.problems());
  }

  #someone(): SimulatedVisitor {
    return this.#world.random.pick(this.#visitors);
  }

  #connect(): void {
    this.#ask('/channels.chatplugin.connect', { name: channelName });
  }

  #ask(path: string, body: object): void {
    this.#clients.ask({ name: path, path, body, inDoubt: 'again' });
  }
}
