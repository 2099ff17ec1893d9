import { once } from 'node:events';
import { WebSocket } from 'ws';
import { FrameParser, serialiseFrame } from '#src/realtime/frame.ts';
import type { BenchHub } from './hub.ts';

/** Ms from the beginning of a send: until its sender was answered, and until the visitor's socket had it. */
export interface Way {
  answered: number;
  arrived: number;
}

/** One visitor with an open socket. */
interface CrowdVisitor {
  conversation: string;
  socket: WebSocket;
}

/** Of the operations and connections that are begun at the same time. */
const atOnce = 64;

/** Does something for each item, some at a time. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = Array(items.length);
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!);
  });
  await Promise.all(workers);
  return results;
}

/** Visitors of one channel, each with a conversation and one socket that listens. */
export class Crowd implements Disposable {
  readonly #hub: BenchHub;
  readonly #heard = new Map<string, () => void>();
  readonly #visitors: CrowdVisitor[] = [];

  constructor(hub: BenchHub) {
    this.#hub = hub;
  }

  /** Lets so many visitors come, each of whom says one thing. */
  async come(count: number): Promise<void> {
    const { id: channel_id } = await this.#hub.call<{ id: string }>('channels.chatplugin.connect', { name: 'crowd' });
    const tokens = await each(Array(count).fill(channel_id), async () => {
      const { token } = await this.#hub.call<{ token: string }>('chatplugin.authenticate', { channel_id });
      await this.#hub.call('chatplugin.send', { message: { text: 'Hello' } }, token);
      return token;
    });
    this.#visitors.push(...(await each(tokens, (token) => this.#open(token))));
  }

  /** Sends a message to a visitor, under a name that no other has. */
  async send(index: number, name: string): Promise<Way> {
    const begun = performance.now();
    const since = (): number => performance.now() - begun;
    const arriving = new Promise<number>((resolve) => this.#heard.set(name, () => resolve(since())));
    const conversation_id = this.#visitors[index]!.conversation;
    await this.#hub.call('messages.send', { conversation_id, message: { text: name } });
    return { answered: since(), arrived: await arriving };
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#visitors) socket.terminate();
  }

  async #open(token: string): Promise<CrowdVisitor> {
    const socket = new WebSocket(`${this.#hub.url.replace('http', 'ws')}/ws.chatplugin`, ['v12.stomp'], {
      perMessageDeflate: false,
    });
    await once(socket, 'open');
    const send = (command: string, headers: Record<string, string>): void =>
      socket.send(serialiseFrame(command, Object.entries(headers), '', '1.2'), { binary: false });
    const parser = new FrameParser({ frameBytes: 1024 * 1024, headers: 64, lineBytes: 8 * 1024 });
    parser.version = '1.2';
    const confirmed = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) =>
        parser.push(data, ({ command, body }) => {
          if (command === 'RECEIPT') resolve();
          if (command === 'MESSAGE') this.#hear(JSON.parse(body.toString()));
        }),
      );
    });
    send('CONNECT', { 'accept-version': '1.2', 'heart-beat': '0,30000', Authorization: `Bearer ${token}` });
    send('SUBSCRIBE', { id: 'messages', destination: '/user/queue/message', receipt: 'listening' });
    await confirmed;
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { conversation_id: string };
    return { conversation: claims.conversation_id, socket };
  }

  #hear({ message }: { message: { content: { text: string } } }): void {
    const { text } = message.content;
    this.#heard.get(text)?.();
    this.#heard.delete(text);
  }
}
