import { memoryStorage, type KeyValueStorage, type Environment } from '#web/chat-widget/core/environment.ts';
import { Chat, type ChatState } from '#web/chat-widget/core/chat.ts';
import type { Json, Message } from '#web/chat-widget/core/contract.ts';
import { decodeFrames, encodeFrame } from '#web/chat-widget/core/stomp.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const host = 'http://hub.test';

/** The hub's side of the chat plugin (docs/api.md, "Chat plugin"), without any of the hub: what the headless chat talks to. */
export class MemoryHub {
  readonly clock = new ManualClock();
  readonly conversations = new Map<string, Message[]>();
  readonly sockets = new Set<MemorySocket>();
  /** Paths that were asked for. */
  readonly requests: string[] = [];
  /** Sockets that were tried to open. */
  connections = 0;
  /** Nobody answers. */
  isDown = false;
  /** Requests get through, sockets do not. */
  hasNoSockets = false;
  /** Takes requests of this path, and is gone before it answers. */
  losesAnswersOf = '';
  /** Status and body in the place of the next answers of a path. */
  readonly refusals = new Map<string, [status: number, body: object, headers?: Record<string, string>]>();
  readonly typingTold: boolean[] = [];
  /** Places of the frames that clients have acknowledged, in each conversation. */
  readonly acknowledged: string[] = [];
  /** Called when a socket is opened, before it listens. */
  onConnection = () => {};
  /** What chance is for its visitors. */
  random = 1;
  readonly #named = new Map<string, Message>();
  readonly #badTokens = new Set<string>();
  #made = 0;

  /** What the agents and the visitor wrote, by their texts. */
  get written(): unknown[] {
    return [...this.conversations.values()].flat().map(({ content }) => (content as { text?: string }).text);
  }

  /** Tokens that were given so far are refused from now on. */
  expireTokens(): void {
    for (let n = 0; n <= this.#made; n++) this.#badTokens.add(`token-${n}`);
  }

  /** An agent writes to the only conversation. */
  agent(text: string): void {
    this.#add([...this.conversations.keys()][0]!, { text }, false);
  }

  typing(typing: boolean): void {
    for (const socket of this.sockets) socket.give('typing', { typing });
  }

  /** Every socket is cut. */
  cut(): void {
    for (const socket of [...this.sockets]) socket.end(1006);
  }

  /** The channel takes no visitors: those who are there are told to go. */
  switchOff(): void {
    this.refusals.set('/chatplugin.authenticate', [403, { error: 'not connected' }]);
    for (const socket of [...this.sockets]) socket.refuse('channel_not_connected');
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.requests.filter((asked) => asked === path).length;
  }

  readonly fetch = (async (url: string, request: RequestInit): Promise<Response> => {
    const path = url.slice(host.length);
    this.requests.push(path);
    if (this.isDown) throw new TypeError('Failed to fetch');
    const refusal = this.refusals.get(path);
    if (refusal) return Response.json(refusal[1], { status: refusal[0], headers: refusal[2] ?? {} });
    const token = new Headers(request.headers).get('Authorization')?.slice('Bearer '.length) ?? '';
    const answer = this.#answer(path, JSON.parse(request.body as string), token);
    if (path === this.losesAnswersOf) throw new TypeError('Failed to fetch');
    return answer;
  }) as typeof fetch;

  #answer(path: string, body: Record<string, Json>, token: string): Response {
    if (path === '/chatplugin.authenticate') return this.#authenticate(body);
    const conversation = this.#conversationOf(token);
    if (conversation === null) return Response.json({ error: 'expired' }, { status: 401 });
    if (path === '/chatplugin.resumeToken') return Response.json({ resume_token: `resume:${conversation}` });
    const name = `${conversation} ${body['source_message_id']}`;
    const message = this.#named.get(name) ?? this.#add(conversation, body['message']!, true);
    this.#named.set(name, message);
    return Response.json(message);
  }

  #authenticate(body: Record<string, Json>): Response {
    const conversation =
      typeof body['resume_token'] === 'string' ? body['resume_token'].slice('resume:'.length) : `c${++this.#made}`;
    if (!body['resume_token']) this.conversations.set(conversation, []);
    const messages = this.conversations.get(conversation);
    if (!messages) return Response.json({ error: 'expired' }, { status: 401 });
    return Response.json({
      ...{ token: `token-${++this.#made}:${conversation}`, messages },
      cursor: String(messages.length),
    });
  }

  /** Null: the token is none, or not good any more. */
  #conversationOf(token: string): string | null {
    const [name = '', conversation = ''] = token.split(':');
    return this.#badTokens.has(name) || !this.conversations.has(conversation) ? null : conversation;
  }

  #add(conversation: string, content: Json, fromContact: boolean): Message {
    const messages = this.conversations.get(conversation)!;
    this.clock.set(1);
    const sentAt = new Date(this.clock.now()).toISOString();
    const message = {
      id: `m${this.#named.size}-${messages.length}`,
      content,
      from_contact: fromContact,
      sent_at: sentAt,
    };
    messages.push(message);
    for (const socket of this.sockets) if (socket.conversation === conversation) socket.push(messages.length, message);
    return message;
  }

  /** Takes a socket in. @returns the conversation that its token opens; null: none */
  accept(socket: MemorySocket, token: string): string | null {
    const conversation = this.#conversationOf(token);
    if (conversation !== null) this.sockets.add(socket);
    return conversation;
  }

  /** The browser of a visitor: its tabs share a storage and the locks. */
  browser(): MemoryBrowser {
    return new MemoryBrowser(this);
  }
}

/** A WebSocket to the hub that carries each message at the next turn of the event loop's own queue. */
export class MemorySocket {
  onopen = () => {};
  onmessage = (_event: { data: string }) => {};
  onclose = (_event: { code: number }) => {};
  conversation: string | null = null;
  readonly #hub: MemoryHub;
  #isListening = false;
  #isOver = false;

  constructor(hub: MemoryHub) {
    this.#hub = hub;
    hub.connections++;
    hub.onConnection();
    queueMicrotask(() => (hub.isDown || hub.hasNoSockets ? this.end(1006) : this.onopen()));
  }

  send(data: string): void {
    for (const { command, headers, body } of decodeFrames(data)) {
      if (command === 'CONNECT') this.#connect(headers['Authorization']?.slice('Bearer '.length) ?? '');
      if (command === 'SUBSCRIBE' && headers['id'] === 'messages') this.#listen(headers);
      if (command === 'ACK') this.#hub.acknowledged.push(headers['id'] ?? '');
      if (command === 'SEND') this.#hub.typingTold.push((JSON.parse(body) as { typing: boolean }).typing);
    }
  }

  give(subscription: string, body: object, place = ''): void {
    const headers = { subscription, 'message-id': place, ...(place && { ack: place }) };
    this.#frame('MESSAGE', headers, JSON.stringify(body));
  }

  /** @param place of the Message in its conversation, from 1 */
  push(place: number, message: Message): void {
    if (this.#isListening) this.give('messages', { message }, String(place));
  }

  refuse(code: string): void {
    this.#frame('ERROR', { code });
  }

  end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hub.sockets.delete(this);
    this.onclose({ code });
  }

  close(): void {
    this.end(1000);
  }

  #connect(token: string): void {
    this.conversation = this.#hub.accept(this, token);
    if (this.conversation === null) this.refuse('unauthorized');
    else this.#frame('CONNECTED', { version: '1.2', 'heart-beat': '0,0' });
  }

  #listen({ after = '', receipt = '' }: Record<string, string>): void {
    this.#isListening = true;
    this.#frame('RECEIPT', { 'receipt-id': receipt });
    const messages = this.#hub.conversations.get(this.conversation!)!;
    const from = after === '' ? messages.length : Number(after);
    messages.slice(from).forEach((message, at) => {
      this.push(from + at + 1, message);
    });
  }

  #frame(command: string, headers: Record<string, string>, body = ''): void {
    const data = encodeFrame(command, headers, body);
    queueMicrotask(() => this.#isOver || this.onmessage({ data }));
  }
}

/** What the tabs of one browser share. */
export class MemoryBrowser {
  readonly storage = memoryStorage();
  readonly #hub: MemoryHub;
  readonly #tabs = new Set<(key: string) => void>();
  readonly #returned = new Set<() => void>();
  readonly #locks = new Map<string, Promise<unknown>>();
  #ids = 0;

  constructor(hub: MemoryHub) {
    this.#hub = hub;
  }

  /** Opens a page with the chat. */
  open(): Chat {
    return new Chat({ host, channelId: 'channel' }, this.#environment());
  }

  /** The visitor looks at the page again. */
  look(): void {
    for (const listener of this.#returned) listener();
  }

  #environment(): Environment {
    const hub = this.#hub;
    return {
      fetch: hub.fetch,
      WebSocket: class extends MemorySocket {
        constructor() {
          super(hub);
        }
      } as unknown as typeof WebSocket,
      storage: this.#ofTab(),
      clock: hub.clock,
      newId: () => `id-${++this.#ids}`,
      random: () => hub.random,
      exclusively: <T>(name: string, work: () => Promise<T>): Promise<T> => {
        const before = this.#locks.get(name) ?? Promise.resolve();
        const done = before.then(work, work);
        this.#locks.set(name, done);
        return done;
      },
      onReturn: (listener) => {
        this.#returned.add(listener);
        return () => this.#returned.delete(listener);
      },
    };
  }

  /** A tab hears what the others change, not what it changes itself. */
  #ofTab(): KeyValueStorage {
    let own: ((key: string) => void) | null = null;
    return {
      ...this.storage,
      // In no order that can be relied on.
      keys: (prefix) => this.storage.keys(prefix).reverse(),
      set: (key, value) => {
        this.storage.set(key, value);
        for (const listener of this.#tabs) if (listener !== own) queueMicrotask(() => listener(key));
      },
      watch: (listener) => {
        own = listener;
        this.#tabs.add(listener);
        return () => this.#tabs.delete(listener);
      },
    };
  }
}

/** Resolves when nothing but time is left to wait for. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** The texts that are shown, each with a mark when it is not sent. */
export const shownIn = ({ lines }: ChatState): string[] =>
  lines.map(({ content, status }) => `${(content as { text: string }).text}${status === 'sent' ? '' : ` (${status})`}`);
