import { Client, type IMessage, type StompHeaders } from '@stomp/stompjs';
import { WebSocket } from 'ws';
import type { MessageJson } from '#actors/representation.ts';
import { until } from './source-client.ts';

/** What an API answers, wherever it is. */
interface Api {
  url: string;
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; body: T }>;
}

/** A frame of `/user/queue/message`. */
export interface Pushed {
  message: MessageJson;
  conversation_id: string;
  channel_id: string;
}

/** The claims of a token, as its holder can read them. */
export const claimsIn = (token: string): { conversation_id: string; channel_id: string; sub: string; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** A channel for visitors. @returns its id */
export async function connectChannel(api: Api, more: object = {}): Promise<string> {
  const { body } = await api.post<{ id: string }>('/channels.chatplugin.connect', { name: 'shop', ...more });
  return body.id;
}

/** A visitor who has come to the channel `shop`, and has written nothing yet. */
export const visit = async (api: Api): Promise<TestVisitor> =>
  TestVisitor.authenticated(api, { channel_id: await connectChannel(api) });

/** What agents see of a visitor's conversation. */
export const messagesOf = async (api: Api, { conversation }: TestVisitor): Promise<MessageJson[]> =>
  (await api.post<{ data: MessageJson[] }>('/messages.list', { conversation_id: conversation })).body.data;

/** The person at a chat plugin, with the stock STOMP client. */
export class TestVisitor implements AsyncDisposable {
  readonly #api: Api;
  readonly token: string;
  /** What was answered when the visitor authenticated. */
  readonly earlier: MessageJson[];
  readonly #clients: Client[] = [];

  constructor(api: Api, token: string, earlier: MessageJson[]) {
    this.#api = api;
    this.token = token;
    this.earlier = earlier;
  }

  static async authenticated(api: Api, body: object): Promise<TestVisitor> {
    const answer = await api.post<{ token: string; messages: MessageJson[] }>('/chatplugin.authenticate', body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return new TestVisitor(api, answer.body.token, answer.body.messages);
  }

  get conversation(): string {
    return claimsIn(this.token).conversation_id;
  }

  get authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.token}` };
  }

  post<T>(path: string, body: unknown = {}, headers: Record<string, string> = {}) {
    return this.#api.post<T>(path, body, { ...this.authorization, ...headers });
  }

  /** @param name the client's own of the message */
  say(text: string, name?: string) {
    const named = name === undefined ? {} : { source_message_id: name };
    return this.post<MessageJson>('/chatplugin.send', { message: { text }, ...named });
  }

  async resumeToken(): Promise<string> {
    return (await this.post<{ resume_token: string }>('/chatplugin.resumeToken')).body.resume_token;
  }

  /** A tab of the visitor. */
  async open(options: Partial<SocketOptions> = {}): Promise<VisitorSocket> {
    const url = `${this.#api.url.replace('http', 'ws')}/ws.chatplugin`;
    const socket = new VisitorSocket(url, { connectHeaders: this.authorization, ...options });
    this.#clients.push(socket.client);
    await socket.connected();
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.deactivate({ force: true })));
  }
}

interface SocketOptions {
  connectHeaders: StompHeaders;
  /** Behind the path. */
  query: string;
  /** Of the upgrade request. */
  headers: Record<string, string>;
}

/** One socket of a visitor. */
export class VisitorSocket {
  readonly client: Client;
  readonly pushed: Pushed[] = [];
  readonly frames: IMessage[] = [];
  readonly typing: boolean[] = [];
  /** What an ERROR frame said. */
  error: StompHeaders | null = null;
  closed: number | null = null;

  constructor(url: string, { connectHeaders = {}, query = '', headers = {} }: Partial<SocketOptions>) {
    this.client = new Client({
      webSocketFactory: () => new WebSocket(url + query, ['v12.stomp'], { headers }),
      connectHeaders,
      reconnectDelay: 0,
    });
    this.client.onStompError = (frame) => {
      this.error = frame.headers;
    };
    this.client.onWebSocketClose = ({ code }: { code: number }) => {
      this.closed = code;
    };
  }

  async connected(): Promise<void> {
    this.client.activate();
    await until('the socket is open', () => {
      if (this.error !== null || this.closed !== null) throw new Error(this.error?.['code'] ?? `closed ${this.closed}`);
      return this.client.connected;
    });
  }

  /** Listens to messages from now on; resolves when the hub has confirmed it. */
  async listen(headers: StompHeaders = {}): Promise<this> {
    await this.#subscribe('/user/queue/message', headers, (frame) => {
      this.frames.push(frame);
      this.pushed.push(JSON.parse(frame.body));
    });
    return this;
  }

  async listenToTyping(): Promise<void> {
    await this.#subscribe('/user/queue/typing', {}, (frame) => void this.typing.push(JSON.parse(frame.body).typing));
  }

  type(typing: boolean): void {
    this.client.publish({ destination: '/typing', body: JSON.stringify({ typing }) });
  }

  get texts(): unknown[] {
    return this.pushed.map(({ message }) => (message.content as { text: string }).text);
  }

  async #subscribe(destination: string, headers: StompHeaders, take: (frame: IMessage) => void): Promise<void> {
    const receipt = `receipt-${Math.random()}`;
    const confirmed = new Promise((resolve) => this.client.watchForReceipt(receipt, resolve));
    this.client.subscribe(destination, take, { ...headers, receipt });
    await confirmed;
  }
}
