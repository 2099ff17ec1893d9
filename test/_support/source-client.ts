import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { HubProcess } from './hub-process.ts';

/** What an action endpoint got. */
export interface ActionCall {
  signatureFits: boolean;
  body: {
    type: string;
    payload: {
      message: { id: string; source_recipient_id: string; content: unknown; sent_at: string };
      conversation?: { id: string; source_conversation_id: string };
    };
  };
}

export type Answer = (call: ActionCall, response: ServerResponse, request: IncomingMessage) => void;

const accept: Answer = (call, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ source_message_id: `sent-${call.body.payload.message.id}`, metadata: {} }));
};

/** A custom source as an application would be: registered over the API, with an action endpoint of its own. */
export class SourceClient implements AsyncDisposable {
  readonly calls: ActionCall[] = [];
  readonly sourceId: string;
  token = '';
  #answer: Answer;
  readonly #hub: HubProcess;
  readonly #server: Server;

  private constructor(hub: HubProcess, sourceId: string, answer: Answer) {
    this.#hub = hub;
    this.sourceId = sourceId;
    this.#answer = answer;
    this.#server = createServer((request, response) => this.#receive(request, response));
  }

  /** Registers the source and one connected channel, `line`. */
  static async register(hub: HubProcess, sourceId: string, answer: Answer = accept): Promise<SourceClient> {
    const source = new SourceClient(hub, sourceId, answer);
    source.#server.listen(0, '127.0.0.1');
    await once(source.#server, 'listening');
    const { port } = source.#server.address() as { port: number };
    const created = await hub.post<{ token: string }>('/sources.create', {
      source_id: sourceId,
      action_endpoint: `http://127.0.0.1:${port}/action`,
    });
    source.token = created.body.token;
    await source.post('/sources.channels.create', { source_channel_id: 'line', name: 'Line' });
    return source;
  }

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  post<T>(path: string, body: unknown): Promise<{ status: number; body: T }> {
    return this.#hub.post<T>(path, body, { Authorization: `Bearer ${this.token}` });
  }

  /** Pushes one text of a contact. @returns status and the hub's entry for it */
  async ingest(
    contact: string,
    sourceMessageId: string,
    text = sourceMessageId,
  ): Promise<{ status: number; id: string; conversation_id: string; duplicate: boolean }> {
    const message = {
      source_message_id: sourceMessageId,
      source_conversation_id: contact,
      source_channel_id: 'line',
      source_sender_id: contact,
      content: { text },
      from_contact: true,
      sent_at: Date.now(),
    };
    const answer = await this.post<{ messages: { id: string; conversation_id: string; duplicate: boolean }[] }>(
      '/sources.webhook',
      { messages: [message] },
    );
    return { status: answer.status, ...answer.body.messages[0]! };
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const wanted = createHmac('sha256', this.token).update(bytes).digest('hex');
      const signatureFits = request.headers['x-service-content-signature'] === wanted;
      const call = { signatureFits, body: JSON.parse(bytes.toString()) as ActionCall['body'] };
      this.calls.push(call);
      this.#answer(call, response, request);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close').catch(() => {});
  }
}

/** Waits for a fact, looking every few ms. @throws Error with `what` when it does not come true in time */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
