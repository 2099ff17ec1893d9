import { createApi } from './api.ts';
import type { Json, Message } from './contract.ts';
import { type Connection, Link } from './link.ts';
import { type Draft, Outbox } from './outbox.ts';
import type { Platform } from './platform.ts';
import { Sender } from './sender.ts';
import { Session } from './session.ts';
import { Timeline } from './timeline.ts';
import { Typing } from './typing.ts';

export interface ChatOptions {
  /** The hub's address: `https://hub.example`. */
  host: string;
  channelId: string;
}

/** `new`: nothing is written yet. `ended`: the visitor has ended it. `unavailable`: the channel takes no visitors. */
export type Phase = 'new' | 'active' | 'ended' | 'unavailable';

/** A Message, or what will be one. */
export interface Entry {
  /** Its own as long as the entry is shown. */
  key: string;
  content: Json;
  fromVisitor: boolean;
  /** Epoch ms. */
  at: number;
  status: 'sent' | 'sending' | 'failed';
  /** Why it failed. */
  problem?: string;
  sender?: Message['sender'];
}

export interface ChatState {
  phase: Phase;
  connection: Connection;
  /** What was written, in its order, and behind it what is still to be sent. */
  entries: readonly Entry[];
  agentTypes: boolean;
  /** How many Messages of agents came since the visitor looked last. */
  unread: number;
}

/** A visitor's chat without any looks: what it is by now, and what the visitor can do. */
export class Chat {
  readonly #platform: Platform;
  readonly #seenKey: string;
  readonly #outbox: Outbox;
  readonly #session: Session;
  readonly #link: Link;
  readonly #sender: Sender;
  readonly #typing: Typing;
  readonly #listeners = new Set<(state: ChatState) => void>();
  readonly #stopWatching: (() => void)[];
  /** Drafts whose Message has come already, ahead of the answer to their request. */
  readonly #arrived = new Set<string>();
  /** The names that Messages had as drafts, by their ids: an entry keeps its key. */
  readonly #names = new Map<string, string>();
  #timeline = new Timeline();
  #phase: Phase = 'new';
  #connection: Connection = 'idle';
  /** Of the conversation that is shown here. */
  #ticketId: string | null = null;
  #state: ChatState;

  constructor({ host, channelId }: ChatOptions, platform: Platform) {
    const address = new URL(host).origin;
    const name = `parley:${address}:${channelId}`;
    const api = createApi(address, platform);
    const outboxPrefix = `${name}:draft:`;
    this.#platform = platform;
    this.#seenKey = `${name}:seen`;
    this.#outbox = new Outbox(platform.storage, outboxPrefix);
    this.#session = new Session({ api, platform, channelId, key: name, onList: (list) => this.#takeList(list) });
    this.#typing = new Typing(platform.clock, {
      tell: (isTyping) => this.#link.typing(isTyping),
      changed: () => this.#changed(),
    });
    this.#link = new Link({ host: address, session: this.#session, platform }, this.#linkEvents());
    this.#sender = new Sender(
      { api, platform, session: this.#session, outbox: this.#outbox, name: outboxPrefix },
      {
        sent: (draft, message) => this.#sent(draft, message),
        changed: () => this.#changed(),
        unavailable: () => this.#goTo('unavailable'),
      },
    );
    this.#state = this.#current();
    this.#stopWatching = [
      platform.onReturn(() => this.#hurry()),
      platform.storage.watch((key) => {
        if (key === name) this.#ticketChanged();
        else if (key.startsWith(outboxPrefix)) this.#draftsChanged();
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
    if (this.#phase !== 'new' && this.#phase !== 'active') return;
    this.#outbox.add(content, this.#platform.newId(), this.#platform.clock.now());
    this.#typing.sent();
    this.#draftsChanged();
    this.#sender.hurry();
  }

  /** Tries again what failed, as something new. */
  retry({ key, content }: Pick<Entry, 'key' | 'content'>): void {
    this.#outbox.remove(key);
    this.send(content);
  }

  /** Forgets what failed. */
  discard({ key }: Pick<Entry, 'key'>): void {
    this.#outbox.remove(key);
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
    this.#platform.storage.set(this.#seenKey, newest.sent_at);
    this.#changed();
  }

  /** Leaves the conversation, in all tabs and for good. */
  end(): void {
    this.#session.leave();
    this.#outbox.clear();
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
    this.#sender.stop();
    this.#link.stop();
    this.#typing.stop();
    this.#listeners.clear();
  }

  #hurry(): void {
    this.#link.hurry();
    this.#sender.hurry();
  }

  #linkEvents() {
    return {
      connection: (now: Connection) => {
        this.#connection = now;
        if (now !== 'online') this.#typing.agent(false);
        this.#changed();
      },
      message: (message: Message) => this.#arrive(message),
      typing: (isTyping: boolean) => this.#typing.agent(isTyping),
      gone: () => this.#gone(),
      unavailable: () => this.#goTo('unavailable'),
    };
  }

  #takeList(list: readonly Message[]): void {
    this.#timeline.takeList(list);
    this.#follow();
    this.#changed();
  }

  #arrive(message: Message): void {
    const isNew = this.#timeline.take(message);
    if (!message.from_contact) this.#typing.agent(false);
    else if (isNew) this.#noteArrival(message);
    this.#changed();
  }

  /** Until the request of its draft is answered, a Message would be seen twice. */
  #noteArrival(message: Message): void {
    const text = JSON.stringify(message.content);
    const draft = this.#outbox.drafts.find(
      ({ name, tried, content }) => tried && !this.#arrived.has(name) && JSON.stringify(content) === text,
    );
    if (!draft) return;
    this.#arrived.add(draft.name);
    this.#names.set(message.id, draft.name);
  }

  #sent(draft: Draft, message: Message): void {
    this.#names.set(message.id, draft.name);
    this.#timeline.take(message);
    this.#outbox.remove(draft.name);
    this.#follow();
    this.#changed();
  }

  /** Listens to the conversation that the session has. */
  #follow(): void {
    this.#ticketId = this.#session.ticket?.id ?? this.#ticketId;
    this.#phase = 'active';
    this.#link.start();
  }

  /** This page has begun, or another tab has begun, left or renewed the conversation. */
  #ticketChanged(): void {
    const id = this.#session.ticket?.id ?? null;
    if (id === this.#ticketId) return;
    if (id === null) {
      this.#over();
      return;
    }
    this.#stopFollowing();
    this.#timeline = new Timeline();
    this.#ticketId = id;
    this.#phase = 'active';
    this.#link.start();
  }

  #draftsChanged(): void {
    this.#changed();
    this.#sender.flush();
  }

  #over(): void {
    this.#stopFollowing();
    this.#goTo('ended');
  }

  /** The hub does not know the conversation any more: what is written next begins another. */
  #gone(): void {
    this.#stopFollowing();
    this.#goTo('new');
  }

  #stopFollowing(): void {
    this.#ticketId = null;
    this.#session.forget();
    this.#link.stop();
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
    const seen = this.#platform.storage.get(this.#seenKey) ?? '';
    const drafts = this.#outbox.drafts.filter(({ name }) => !this.#arrived.has(name));
    return {
      phase: this.#phase,
      connection: this.#connection,
      entries: [
        ...messages.map((message) => entryOfMessage(message, this.#names.get(message.id))),
        ...drafts.map(entryOfDraft),
      ],
      agentTypes: this.#typing.agentTypes,
      unread: messages.filter(({ from_contact, sent_at }) => !from_contact && sent_at > seen).length,
    };
  }
}

const entryOfMessage = ({ id, content, from_contact, sent_at, sender }: Message, name = id): Entry => ({
  key: name,
  content,
  fromVisitor: from_contact,
  at: Date.parse(sent_at),
  status: 'sent',
  sender,
});

const entryOfDraft = ({ name, content, writtenAt, problem }: Draft): Entry => ({
  key: name,
  content,
  fromVisitor: true,
  at: writtenAt,
  ...(problem === undefined ? { status: 'sending' } : { status: 'failed', problem }),
});
