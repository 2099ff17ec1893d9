import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Behaviour, bestBehaviour, Treatments } from './behaviour.ts';
import { control, isControl, type ListedCall } from './control.ts';
import type { DoubleTools, HubAddress, Introduction, PlatformAnswer, PlatformDouble, TakenMessage } from './double.ts';
import { WebhookSender } from './webhook-sender.ts';
import { type ApiAnswer, type ApiCall, jsonAnswer, jsonIn } from './wire.ts';

const longestBody = 25 * 1024 * 1024;
const listed = 10_000;

export interface DoubleOptions {
  /** 0: any free one. */
  port: number;
  hub: HubAddress;
  behaviour?: Partial<Behaviour>;
  /** @param tools with the address that it listens at */
  make(tools: DoubleTools): PlatformDouble;
}

/** A double that answers. */
export interface RunningDouble extends AsyncDisposable {
  url: string;
  introduction: Introduction;
}

/**
 * Starts a double on loopback.
 * @throws when the port is taken; what `make` throws
 */
export async function startDouble({ port, hub, behaviour, make }: DoubleOptions): Promise<RunningDouble> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const platform = make({ url, hub, now: Date.now });
    const double = new Double(platform, { ...bestBehaviour, answers: [], ...behaviour });
    server.on('request', (request, response) => void double.serve(request, response).catch(() => response.destroy()));
    return {
      ...{ url, introduction: platform.introduction },
      async [Symbol.asyncDispose]() {
        double.close();
        await closed(server);
      },
    };
  } catch (error) {
    await closed(server);
    throw error;
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** What is the same of every double: it answers calls, as its behaviour has it, and reports of what it took. */
class Double {
  readonly #platform: PlatformDouble;
  readonly #behaviour: Behaviour;
  readonly #treatments: Treatments;
  readonly #sender: WebhookSender;
  readonly #sent: TakenMessage[] = [];
  readonly #calls: ListedCall[] = [];
  readonly #closed = new AbortController();

  constructor(platform: PlatformDouble, behaviour: Behaviour) {
    this.#platform = platform;
    this.#behaviour = behaviour;
    this.#treatments = new Treatments(() => behaviour, Date.now);
    this.#sender = new WebhookSender(() => behaviour);
  }

  close(): void {
    this.#closed.abort();
    this.#sender.close();
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await callOf(request);
    if (call === null) return write(response, jsonAnswer(413, { error: 'The body is too large.' }));
    if (isControl(call)) return write(response, await control(this.#controlParts(), call));
    const listing = listingOf(call);
    this.#calls.push(listing);
    if (this.#calls.length > listed) this.#calls.shift();
    const answer = await this.#answer(call);
    if (answer === null) return;
    listing.status = answer.status;
    if (answer.took) this.#note(answer.took, response);
    write(response, answer);
  }

  /** Reports come after the answer, also when nobody waits for that any more. */
  #note(message: TakenMessage, response: ServerResponse): void {
    this.#sent.push(message);
    if (this.#sent.length > listed) this.#sent.shift();
    response.once('close', () => void this.#reportOf(message).catch(() => {}));
  }

  /** Null: it is never answered. */
  async #answer(call: ApiCall): Promise<PlatformAnswer | null> {
    if (!this.#platform.isSend(call)) return this.#platform.answer(call);
    const treatment = this.#treatments.next();
    if (treatment.kind === 'hung') return null;
    if (treatment.kind === 'answered') return treatment.answer;
    if (treatment.kind === 'throttled') return this.#platform.throttling();
    return treatment.kind === 'refused' ? this.#platform.refusal() : this.#platform.answer(call);
  }

  async #reportOf(message: TakenMessage): Promise<void> {
    for (const report of message.reports) {
      await pause(this.#behaviour.lateReceipts, undefined, { signal: this.#closed.signal });
      const webhook = await this.#platform.report(message, report);
      if (webhook === null) continue;
      const answered = this.#sender.send(webhook);
      // Those that are to change places must be there together.
      if (!this.#behaviour.reorder) await answered;
    }
  }

  #controlParts() {
    return {
      ...{ platform: this.#platform, sender: this.#sender, sent: this.#sent, calls: this.#calls },
      ...{ behaviour: this.#behaviour, now: Date.now },
    };
  }
}

/** Of a form nothing is shown, as grants and tokens are in forms. */
function listingOf(call: ApiCall): ListedCall {
  const body = jsonIn(call);
  const isObject = Object.keys(body).length > 0;
  return { method: call.method, path: call.path, status: null, ...(isObject && { body }) };
}

/** Null: its body is too large. */
async function callOf(request: IncomingMessage): Promise<ApiCall | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestBody) return null;
    chunks.push(chunk);
  }
  const { method = 'GET', url = '/', headers } = request;
  const { pathname: path, searchParams: query } = new URL(url, 'http://localhost');
  return { method, path, query, headers, body: Buffer.concat(chunks) };
}

function write(response: ServerResponse, { status, headers, body }: ApiAnswer): void {
  response.writeHead(status, headers).end(body);
}
