import { connect, type Socket } from 'node:net';

/** An answer: its status (0: the connection ended), and the start of its body when it is no success. */
export type OnAnswer = (status: number, failure: string) => void;

const empty = Buffer.alloc(0);
const headEnd = '\r\n\r\n';
const statusFrom = 'HTTP/1.1 '.length;
const statusDigits = 3;
const firstFailure = 300;
const failureChars = 300;

/**
 * A keep-alive connection with one request in flight. It reads no more of an answer than its status and length: a
 * generator on the same machine must leave the processor to the server.
 */
export class LoadConnection {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket;
  #head: Buffer = empty;
  #status = 0;
  #failure = '';
  /** Bytes of the body still to come; -1: the head is being read. */
  #left = -1;
  #answer: OnAnswer | null = null;
  #closed = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#socket = this.#open();
  }

  /** Sends a request; `answer` is called once. A connection that the server closed while idle is opened again. */
  send(request: string, answer: OnAnswer): void {
    if (this.#socket.destroyed || !this.#socket.writable) this.#socket = this.#open();
    this.#answer = answer;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    let reason = 'the connection was closed';
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => {
      if (!this.#closed && this.#socket === socket && this.#answer) this.#finish(0, reason);
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    if (this.#left < 0) this.#readHead(chunk);
    else this.#left -= chunk.length;
    if (this.#left === 0) this.#finish(this.#status, this.#failure);
  }

  #readHead(chunk: Buffer): void {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#head.toString('latin1', 0, end);
    const bodyFrom = end + headEnd.length;
    this.#status = Number(head.slice(statusFrom, statusFrom + statusDigits));
    this.#failure = this.#status < firstFailure ? '' : this.#head.toString('utf8', bodyFrom, bodyFrom + failureChars);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined && this.#status !== 204) throw new Error(`an answer without a length: ${head}`);
    this.#left = Number(length ?? 0) - (this.#head.length - bodyFrom);
  }

  #finish(status: number, failure: string): void {
    const answer = this.#answer;
    this.#head = empty;
    this.#left = -1;
    this.#answer = null;
    answer?.(status, failure);
  }
}
