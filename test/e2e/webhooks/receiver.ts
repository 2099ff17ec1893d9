import { createHmac } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** How a path of the receiver behaves. */
export type Mode =
  | { kind: 'ok' }
  /** Fails this share of the calls, at random, but no delivery so often that it would be dead. */
  | { kind: 'flaky'; share: number }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** Takes the call and never answers. */
  | { kind: 'hang' }
  /** Answers 200 at once and then a few bytes every 100 ms, for ever. */
  | { kind: 'drip' }
  /** Answers 200 and as many bytes as the caller takes. */
  | { kind: 'flood' };

/** What the parent says to the process. */
export interface Order {
  path: string;
  mode: Mode;
}

/** One call as the receiver saw it: a line of its file. */
export interface Receipt {
  path: string;
  id: string;
  /** Epoch ms of the clock of this process. */
  at: number;
  type: string;
  /** Id of the conversation or channel that the event is about. */
  subject: string;
  seq: number;
  cursor: string;
  timestamp: number;
  /** The `standardwebhooks` package accepts it. */
  standard: boolean;
  /** The header is the hex HMAC of the body's bytes. */
  hmac: boolean;
  userAgent: string;
  contentType: string;
  /** The header X-Team, as configured. */
  team: string | null;
  /** 0: none yet. */
  answered: number;
}

/** What the process is started with. */
export interface ReceiverStart {
  file: string;
  key: string;
}

/** The eighth try is the last one (docs/api.md, "Webhooks"). */
const mostFailures = 7;

/** Runs when this file is the program of a process of its own. */
function main(): void {
  const { file, key } = JSON.parse(process.argv[2] ?? '{}') as ReceiverStart;
  const judge = { key, standard: new Webhook(key, key.startsWith('whsec_') ? {} : { format: 'raw' }) };
  const modes = new Map<string, Mode>();
  const failures = new Map<string, number>();
  process.on('message', ({ path, mode }: Order) => {
    modes.set(path, mode);
    process.send?.({ done: path });
  });
  process.on('disconnect', () => process.exit(0));

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const mode = modes.get(request.url ?? '') ?? { kind: 'ok' };
    const id = String(request.headers['webhook-id']);
    const failed = failures.get(id) ?? 0;
    const status = statusOf(mode, failed);
    if (status === 500) failures.set(id, failed + 1);
    const receipt = receiptOf(judge, request, Buffer.concat(chunks), status);
    // On file before the answer: what the hub takes for delivered is in the ledger.
    appendFileSync(file, `${JSON.stringify(receipt)}\n`);
    answer(response, mode, status);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
}

interface Judge {
  key: string;
  standard: Webhook;
}

function receiptOf({ key, standard }: Judge, request: IncomingMessage, body: Buffer, answered: number): Receipt {
  const { headers } = request;
  const header = (name: string): string => String(headers[name] ?? '');
  const { type, subject, seq, cursor, timestamp } = JSON.parse(body.toString()) as {
    type: string;
    subject: { id: string };
    seq: number;
    cursor: string;
    timestamp: number;
  };
  return {
    path: request.url ?? '',
    id: header('webhook-id'),
    at: Date.now(),
    type,
    subject: subject.id,
    seq,
    cursor,
    timestamp,
    standard: accepts(standard, body, headers as Record<string, string>),
    hmac: header('x-service-content-signature') === createHmac('sha256', key).update(body).digest('hex'),
    userAgent: header('user-agent'),
    contentType: header('content-type'),
    team: headers['x-team'] === undefined ? null : header('x-team'),
    answered,
  };
}

/**
 * A call that was under way while a test's clock jumped carries a time that is hours old, which the package refuses
 * before it looks at the signature. It then signs the same content itself, for the comparison.
 */
const clockJumps = process.env['TEST_CLOCK_FILE'] !== undefined;

function accepts(standard: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    standard.verify(body, headers);
    return true;
  } catch (error) {
    if (!clockJumps || !/^Message timestamp too (old|new)$/.test((error as Error).message)) return false;
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const wanted = standard.sign(headers['webhook-id'] ?? '', at, body);
    return (headers['webhook-signature'] ?? '').split(' ').includes(wanted);
  }
}

/** `failed`: how often this delivery has failed before. */
function statusOf(mode: Mode, failed: number): number {
  if (mode.kind === 'status') return mode.status;
  if (mode.kind === 'flaky') return failed < mostFailures && Math.random() < mode.share ? 500 : 200;
  return mode.kind === 'hang' ? 0 : 200;
}

function answer(response: ServerResponse, mode: Mode, status: number): void {
  if (mode.kind === 'hang') return;
  if (mode.kind === 'drip') {
    response.writeHead(200);
    const timer = setInterval(() => response.write('drip '), 100);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (mode.kind === 'flood') {
    response.writeHead(200);
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
    return;
  }
  const { headers = {}, body = 'received' } = mode.kind === 'status' ? mode : {};
  response.writeHead(status, headers).end(body);
}

if (import.meta.main) main();
