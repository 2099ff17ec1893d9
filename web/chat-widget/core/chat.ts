import { createApi } from './api.ts';
import type { Json, Message } from './contract.ts';
import { type Connection, Listening } from './listening.ts';
import { type Draft, Drafts } from './drafts.ts';
import type { Environment } from './environment.ts';
import { type Line, lineOfDraft, lineOfMessage } from './line.ts';
import { Sending } from './sending.ts';
import { Visit } from './visit.ts';
import { Timeline } from './timeline.ts';
import { Typing } from './typing.ts';

export interface ChatOptions {
  /** The hub's address: `https://hub.example`. */
  host: string;
  channelId: string;
}

/** `new`: nothing is written yet. `ended`: the visitor has ended it. `unavailable`: the channel takes no visitors for now. */
export type Phase = 'new' | 'active' | 'ended' | 'unavailable';

export interface ChatState {
  phase: Phase;
  connection: Connection;
  /** What was written, in its order, and behind it what is still to be sent. */
  lines: readonly Line[];
  agentTypes: boolean;
  /** How many Messages of agents came since the visitor looked last. */
  unread: number;
}

/** A visitor's chat without any looks: what it is by now, and what the visitor can do. */
export class Chat {
  readonly #environment: Environment;
  readonly #seenKey: string;
  readonly #drafts: Drafts;
  readonly #visit: Visit;
  readonly #listening: Listening;
  readonly #sending: Sending;
  readonly #typing: Typing;
  readonly #listeners = new Set<(state: ChatState) => void>();
  readonly #stopWatching: (() => void)[];
  /** Drafts whose Message has come already, ahead of the answer to their request. */
  readonly #arrived = new Set<string>();
  /** The names that Messages had as drafts, by their ids: a line keeps its key. */
  readonly #names = new Map<string, string>();
  #timeline = new Timeline();
  #phase: Phase = 'new';
  #connection: Connection = 'idle';
  /** Of the conversation that is shown here. */
  #ticketId: string | null = null;
  #state: ChatState;

  constructor({ host, channelId }: ChatOptions, environment: Environment) {
    const address = new URL(host).origin;
    const name = `parley:${address}:${channelId}`;
    const api = createApi(address, environment);
    const draftPrefix = `${name}:draft:`;
    this.#environment = environment;
    this.#seenKey = `${name}:seen`;
    this.#drafts = new Drafts(environment.storage, draftPrefix);
    this.#visit = new Visit({ api, environment, channelId, key: name, onList: (list) => this.#takeList(list) });
    this.#typing = new Typing(environment.clock, {
      tell: (isTyping) => this.#listening.typing(isTyping),
      changed: () => this.#changed(),
    });
    this.#listening = new Listening({ host: address, visit: this.#visit, environment }, this.#listeningEvents());
    this.#sending = new Sending(
      { api, environment, visit: this.#visit, drafts: this.#drafts, name: draftPrefix },
      {
        sent: (draft, message) => this.#sent(draft, message),
        changed: () => this.#changed(),
        unavailable: () => this.#off(),
      },
    );
    this.#state = this.#current();
    this.#stopWatching = [
      environment.onReturn(() => this.#hurry()),
      environment.storage.watch((key) => {
        if (key === name) this.#ticketChanged();
        else if (key.startsWith(draftPrefix)) this.#draftsChanged();
        else if (key === this.#seenKey) this.#changed();
      }),
    ];
    this.#ticketChanged();
    this.#draftsChanged();
  }

  get state(): ChatState {
    return this.#state;
  }

  /** @returns what ends the listening */
  subscribe(listener: (state: ChatState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sends as soon as the hub can be reached, also after a reload of the page. */
  send(content: Json): void {
    if (!this.#isOpen) return;
    const { newId, clock } = this.#environment;
    const behind = this.#timeline.messages.at(-1)?.id;
    this.#drafts.add({ name: newId(), content, writtenAt: clock.now(), behind });
    this.#typing.sent();
    this.#draftsChanged();
    this.#sending.hurry();
  }

  /** Tries again what failed, as something new. */
  retry({ key, content }: Pick<Line, 'key' | 'content'>): void {
    if (!this.#isOpen) return;
    this.#drafts.remove(key);
    this.send(content);
  }

  /** Forgets what failed. */
  discard({ key }: Pick<Line, 'key'>): void {
    this.#drafts.remove(key);
    this.#changed();
  }

  /** To be called while the visitor types. */
  type(): void {
    if (this.#phase === 'active') this.#typing.typed();
  }

  /** What is shown by now has been looked at. */
  markSeen(): void {
    const newest = this.#timeline.messages.findLast((message) => !message.from_contact);
    if (!newest || this.#state.unread === 0) return;
    this.#environment.storage.set(this.#seenKey, newest.sent_at);
    this.#changed();
  }

  /** Leaves the conversation, in all tabs and for good. */
  end(): void {
    this.#visit.leave();
    this.#drafts.clear();
    this.#over();
  }

  /** After an end: an empty conversation, which begins with its first Message. */
  restart(): void {
    if (this.#phase !== 'ended') return;
    this.#timeline = new Timeline();
    this.#goTo('new');
  }

  /** Stops everything; the conversation can be gone on with by another one of these. */
  close(): void {
    for (const stop of this.#stopWatching) stop();
    this.#sending.stop();
    this.#listening.stop();
    this.#typing.stop();
    this.#listeners.clear();
  }

  /** Something can be written. */
  get #isOpen(): boolean {
    return this.#phase === 'new' || this.#phase === 'active';
  }

  #hurry(): void {
    this.#listening.hurry();
    this.#sending.hurry();
  }

  #listeningEvents() {
    return {
      connection: (now: Connection) => {
        this.#connection = now;
        if (now !== 'online') this.#typing.agent(false);
        this.#changed();
      },
      message: (message: Message) => this.#arrive(message),
      typing: (isTyping: boolean) => this.#typing.agent(isTyping),
      gone: () => this.#gone(),
      unavailable: () => this.#off(),
    };
  }

  #takeList(list: readonly Message[]): void {
    for (const message of list) this.#timeline.take(message);
    this.#noteArrivals(list);
    this.#follow();
    this.#changed();
  }

  #arrive(message: Message): void {
    const isNew = this.#timeline.take(message);
    if (!message.from_contact) this.#typing.agent(false);
    else if (isNew) this.#noteArrivals([message]);
    this.#changed();
  }

  /** Until the request of its draft is answered, a Message would be seen twice. */
  #noteArrivals(messages: readonly Message[]): void {
    for (const { name, tried, content, behind } of this.#drafts.all) {
      if (!tried || this.#arrived.has(name)) continue;
      const text = JSON.stringify(content);
      const isDraft = (message: Message) =>
        message.from_contact && !this.#names.has(message.id) && JSON.stringify(message.content) === text;
      const found = messages.slice(messages.findIndex(({ id }) => id === behind) + 1).find(isDraft);
      if (!found) continue;
      this.#arrived.add(name);
      this.#names.set(found.id, name);
    }
  }

  #sent(draft: Draft, message: Message): void {
    this.#names.set(message.id, draft.name);
    this.#timeline.take(message);
    this.#drafts.remove(draft.name);
    this.#follow();
    this.#changed();
  }

  /** Listens to the conversation that the visit has. */
  #follow(): void {
    this.#ticketId = this.#visit.ticket?.id ?? this.#ticketId;
    this.#phase = 'active';
    this.#listening.start();
  }

  /** This page has begun, or another tab has begun, left or renewed the conversation. */
  #ticketChanged(): void {
    const id = this.#visit.ticket?.id ?? null;
    if (id === this.#ticketId) return;
    if (id === null) {
      this.#over();
      return;
    }
    this.#stopFollowing();
    this.#timeline = new Timeline();
    this.#follow();
  }

  #draftsChanged(): void {
    this.#changed();
    this.#sending.flush();
  }

  #over(): void {
    this.#stopFollowing();
    this.#goTo('ended');
  }

  /** The channel takes no visitors for now: it is asked again and again. */
  #off(): void {
    if (this.#isOpen) this.#goTo('unavailable');
  }

  /** The hub does not know the conversation any more: what is written next begins another. */
  #gone(): void {
    this.#stopFollowing();
    this.#goTo('new');
  }

  #stopFollowing(): void {
    this.#ticketId = null;
    this.#visit.forget();
    this.#listening.stop();
  }

  #goTo(phase: Phase): void {
    this.#phase = phase;
    this.#changed();
  }

  #changed(): void {
    this.#state = this.#current();
    for (const listener of this.#listeners) listener(this.#state);
  }

  #current(): ChatState {
    const { messages } = this.#timeline;
    const seen = this.#environment.storage.get(this.#seenKey) ?? '';
    const drafts = this.#drafts.all.filter(({ name }) => !this.#arrived.has(name));
    return {
      phase: this.#phase,
      connection: this.#connection,
      lines: [
        ...messages.map((message) => lineOfMessage(message, this.#names.get(message.id))),
        ...drafts.map(lineOfDraft),
      ],
      agentTypes: this.#typing.agentTypes,
      unread: messages.filter(({ from_contact, sent_at }) => !from_contact && sent_at > seen).length,
    };
  }
}
