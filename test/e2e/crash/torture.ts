import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { HubProcess } from '../../_support/hub-process.ts';
import { until } from '../../_support/source-client.ts';
import { checkFile, compare, Ledger, type LedgerReport } from './ledger.ts';

export interface TortureOptions {
  /** What is killed with SIGKILL, and how often. */
  victim: 'hub' | 'nats-server';
  kills: number;
  writers: number;
  shards: number;
  /** Time between a start and the next kill, in ms: at random in this range. */
  between: [number, number];
  log(line: string): void;
}

export interface TortureReport extends LedgerReport {
  kills: number;
  acknowledged: number;
  tries: number;
  steps: number;
}

const settleTimeout = 60_000;
const conversations = 20;

/** An action endpoint that accepts everything and writes down what it got. */
async function actionEndpoint(ledger: Ledger): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: { message: { id: string } } };
      ledger.receive(payload.message.id);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ source_message_id: `sent-${payload.message.id}`, metadata: {} }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`, server };
}

/** Writes until told to stop. A request is repeated with the same ids until it is answered, as a careful client does. */
class Writer {
  readonly #hub: HubProcess;
  readonly #ledger: Ledger;
  readonly #token: string;
  readonly #name: string;
  #n = 0;

  constructor(hub: HubProcess, ledger: Ledger, token: string, name: string) {
    this.#hub = hub;
    this.#ledger = ledger;
    this.#token = token;
    this.#name = name;
  }

  async run(stopped: () => boolean): Promise<void> {
    let conversation: string | null = null;
    while (!stopped()) {
      this.#n++;
      if (conversation !== null && this.#n % 5 === 0) await this.#send(conversation, stopped);
      else conversation = await this.#ingest(stopped);
    }
  }

  async #ingest(stopped: () => boolean): Promise<string | null> {
    const sourceMessageId = `${this.#name}-${this.#n}`;
    const message = {
      source_message_id: sourceMessageId,
      source_conversation_id: `contact-${Number(this.#name.slice(1)) % conversations}`,
      source_channel_id: 'line',
      source_sender_id: this.#name,
      content: { text: `message ${sourceMessageId}` },
      from_contact: true,
      sent_at: Date.now(),
    };
    const answer = await this.#until<{ messages: { id: string; conversation_id: string }[] }>(
      stopped,
      '/sources.webhook',
      { messages: [message] },
      { Authorization: this.#token },
    );
    const stored = answer?.messages[0];
    if (stored === undefined) return null;
    this.#ledger.ingest(sourceMessageId, { id: stored.id, conversation: stored.conversation_id });
    return stored.conversation_id;
  }

  async #send(conversation: string, stopped: () => boolean): Promise<void> {
    const text = `reply ${this.#name}-${this.#n}`;
    const answer = await this.#until<{ id: string }>(
      stopped,
      '/messages.send',
      { conversation_id: conversation, message: { text } },
      { 'Idempotency-Key': text.replaceAll(' ', '-') },
    );
    if (answer !== null) this.#ledger.sent.set(answer.id, text);
  }

  async #until<T>(
    stopped: () => boolean,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<T | null> {
    for (;;) {
      this.#ledger.tries++;
      try {
        const answer = await this.#hub.post<T>(path, body, headers);
        if (answer.status === 200) return answer.body;
        if (answer.status < 500) throw new Refused(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      if (stopped()) return null;
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40));
    }
  }
}

/** A client's request was refused though it is right: the hub forgot something. */
class Refused extends Error {
  override readonly name = 'Refused';
}

async function source(hub: HubProcess, action: string): Promise<string> {
  const { body } = await hub.post<{ token: string }>('/sources.create', { source_id: 'acme', action_endpoint: action });
  await hub.post(
    '/sources.channels.create',
    { source_channel_id: 'line', name: 'Line' },
    { Authorization: body.token },
  );
  return body.token;
}

async function settled(hub: HubProcess, ledger: Ledger): Promise<LedgerReport> {
  const deadline = Date.now() + settleTimeout;
  for (;;) {
    const report = await compare(hub, ledger);
    if (report.undelivered.length === 0 || Date.now() > deadline) return report;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Kills the victim at random moments under writers, then compares what the clients were told with what is there. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const ledger = new Ledger();
  const { url, server } = await actionEndpoint(ledger);
  await using hub = await HubProcess.start({ shards: options.shards });
  const token = await source(hub, url);
  let stop = false;
  const writers = Array.from({ length: options.writers }, (_, n) =>
    new Writer(hub, ledger, token, `w${n}`).run(() => stop),
  );
  const failed = Promise.all(writers).then(() => {});
  failed.catch(() => {});
  let killedNats = 0;
  for (let kill = 1; kill <= options.kills; kill++) {
    const [from, to] = options.between;
    if (options.victim === 'nats-server') await until('nats-server is back', () => hub.natsPid !== killedNats);
    await new Promise((resolve) => setTimeout(resolve, from + Math.random() * (to - from)));
    if (options.victim === 'hub') {
      await hub.kill();
      await hub.start();
    } else {
      killedNats = hub.natsPid;
      process.kill(killedNats, 'SIGKILL');
    }
    if (kill % 10 === 0)
      options.log(`${kill} of ${options.kills} kills, ${ledger.ingested.size + ledger.sent.size} acknowledged`);
  }
  stop = true;
  await failed;
  const report = await settled(hub, ledger);
  await hub.stop();
  server.close();
  const { problems, steps } = checkFile(hub.file);
  return {
    ...report,
    problems,
    steps,
    kills: options.kills,
    acknowledged: ledger.ingested.size + ledger.sent.size,
    tries: ledger.tries,
  };
}
