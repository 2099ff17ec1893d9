import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type IFrame, type StompConfig } from '@stomp/stompjs';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Failure } from '#actors/errors.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import { Problems } from '#actors/problems.ts';
import { statusOf } from '#src/http/errors.ts';
import { type Frame, FrameParser, serialiseFrame, type StompVersion } from '#src/realtime/frame.ts';
import { type CommunicationOptions, communicationDoor } from '#src/realtime/communication.ts';
import { createFanOut } from '#src/realtime/fan-out.ts';
import { createRealtime, usualHeartBeat } from '#src/realtime/server.ts';
import { systemClock } from '#src/runtime/system.ts';
import type { Auth, Credentials } from '#src/security/auth.ts';
import type { Agent, KeyHolder } from '#src/security/caller.ts';
import { createGate } from '#src/security/gate.ts';
import { MemoryFeed } from './memory-feed.ts';

export const quietLog: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Of services whose store can be read. */
export const healthy = { problems: new Problems(quietLog), unread: () => null };

export const agent: Agent = { kind: 'agent', sender: { id: 'test:ann' } };

/** @throws Failure, as `Auth.identify` does */
export type Identify = (scope: string, credentials: Credentials) => Agent | KeyHolder | Promise<Agent | KeyHolder>;

export interface Hub {
  feed: MemoryFeed;
  url: string;
  host: string;
  log: { event: string; fields: Record<string, unknown> }[];
  realtime: ReturnType<typeof createRealtime>;
}

export interface HubOptions extends Partial<CommunicationOptions> {
  /** Who shows credentials; the test agent unless given. */
  identify?: Identify;
  allowedOrigins?: string[];
  /** Default: the machine's. */
  clock?: Clock;
}

/** The endpoint on a loopback HTTP server over a feed in memory; closed when the test is over. */
export async function startHub({ identify, allowedOrigins = [], clock, ...options }: HubOptions = {}): Promise<Hub> {
  const feed = new MemoryFeed();
  const log: Hub['log'] = [];
  const note = (fields: Record<string, unknown>, event: string) => void log.push({ event, fields });
  let ids = 0;
  const services = {
    clock: clock ?? systemClock,
    ids: { uuid: () => `session-${++ids}`, random: () => 0 },
    log: { info: note, warn: note, error: note },
    feed,
    onGrew: feed.onGrew,
    ...healthy,
  };
  const auth = { identify: (identify ?? (() => agent)) as Auth['identify'] };
  const fanOut = createFanOut(services);
  const door = communicationDoor(services, fanOut, auth, { heartBeat: usualHeartBeat, ...options });
  const realtime = createRealtime({ ...services, fanOut, doors: [door] });
  const server = createServer();
  const gate = createGate({
    server: { host: '127.0.0.1', publicUrl: '' },
    security: { authentication: false, allowUnauthenticated: false, allowedOrigins },
  });
  server.on('upgrade', (request, socket, head) => {
    try {
      const admission = gate.admit('api', request);
      if (!realtime.handleUpgrade(request, socket, head, admission)) socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    } catch (error) {
      socket.end(`HTTP/1.1 ${statusOf[(error as Failure).code]} Refused\r\n\r\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await realtime.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { feed, host, url: `ws://${host}/ws.communication`, log, realtime };
}

/** The stock client, as it is, connected. */
export async function connect(hub: Hub, options: StompConfig = {}): Promise<Client> {
  const client = new Client({ brokerURL: hub.url, reconnectDelay: 0, ...options });
  onTestFinished(() => client.deactivate({ force: true }));
  await new Promise<void>((resolve, reject) => {
    client.onConnect = () => resolve();
    client.onStompError = (frame) => reject(new Error(frame.headers['message']));
    client.onWebSocketClose = () => reject(new Error('closed'));
    client.activate();
  });
  return client;
}

/** Subscribes and resolves once the hub has confirmed it; `seqs` grows with what arrives. */
export async function subscribe(client: Client, destination: string, headers: Record<string, string> = {}) {
  const frames: IFrame[] = [];
  const seqs: number[] = [];
  const receipt = `receipt-${Math.random()}`;
  const confirmed = new Promise((resolve) => client.watchForReceipt(receipt, resolve));
  const subscription = client.subscribe(
    destination,
    (frame) => {
      frames.push(frame);
      seqs.push(JSON.parse(frame.body).seq);
    },
    { ...headers, receipt },
  );
  await confirmed;
  return { frames, seqs, subscription };
}

/** A client that writes frames, or anything else, by hand. */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  text = '';
  closeCode: number | null = null;
  readonly #parser = new FrameParser({ frameBytes: 4 * 1024 * 1024, headers: 64, lineBytes: 64 * 1024 });

  constructor(
    url: string,
    options: { protocols?: string[]; headers?: Record<string, string>; version?: StompVersion } = {},
  ) {
    this.#parser.version = options.version ?? '1.2';
    this.socket = new WebSocket(url, options.protocols ?? ['v12.stomp'], { headers: options.headers ?? {} });
    this.socket.on('message', (data: Buffer) => {
      this.text += data;
      this.#parser.push(data, (frame) => this.frames.push(frame));
    });
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
    onTestFinished(() => this.socket.terminate());
  }

  async opened(): Promise<this> {
    await new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
    return this;
  }

  send(command: string, headers: Record<string, string> = {}, body = ''): void {
    this.socket.send(serialiseFrame(command, Object.entries(headers), body, this.#parser.version), { binary: false });
  }

  /** The next frame with a command that arrives, or has. */
  frame(command: string): Promise<Frame> {
    return vi.waitFor(
      () => {
        const found = this.frames.find((frame) => frame.command === command);
        if (!found) throw new Error(`no ${command} among ${this.frames.map((frame) => frame.command)}`);
        return found;
      },
      { interval: 2, timeout: 5000 },
    );
  }

  closed(): Promise<number> {
    return vi.waitFor(
      () => {
        if (this.closeCode === null) throw new Error('the socket is open');
        return this.closeCode;
      },
      { interval: 2, timeout: 5000 },
    );
  }
}

export async function connectRaw(hub: Hub, headers: Record<string, string> = {}): Promise<RawClient> {
  const client = await new RawClient(hub.url).opened();
  client.send('CONNECT', { 'accept-version': '1.2', ...headers });
  await client.frame('CONNECTED');
  return client;
}
