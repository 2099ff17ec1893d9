import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  type DoubleTools,
  type Handshake,
  Impossible,
  type Introduction,
  type PlatformAnswer,
  type PlatformDouble,
  type PlatformWebhook,
  type TakenMessage,
  type WrittenMessage,
} from './double.ts';
import { newKeyFile, TokenEndpoint } from './service-account.ts';
import { type ApiAnswer, type ApiCall, type Fields, fieldsOf, jsonAnswer, jsonIn, textOf } from './wire.ts';

export interface BizMapsCredentials {
  saFile: string;
  partnerKey: string;
}

const scope = 'https://www.googleapis.com/auth/businessmessages';
const brand = 'brands/5a5a5a5a-0000-4000-8000-000000000001';
const agentId = 'a9e0a9e0-0000-4000-8000-000000000001';
const windowMs = 30 * 24 * 60 * 60_000;
/** What a message may be, beside its id, its author and what goes with it. */
const contentFields = ['text', 'richCard', 'image'];

/** @param url of the double, whose token endpoint the key file names */
export const newBizMapsCredentials = (url: string): BizMapsCredentials => ({
  saFile: newKeyFile(`${url}/token`),
  partnerKey: randomBytes(24).toString('base64url'),
});

const problem = (code: number, status: string, message: string): ApiAnswer =>
  jsonAnswer(code, { error: { code, message, status } });

const notFound = problem(404, 'NOT_FOUND', 'Requested entity was not found.');

/** The double of the messaging of businesses on maps. */
export class BizMapsDouble implements PlatformDouble {
  readonly introduction: Introduction;
  readonly #credentials: BizMapsCredentials;
  readonly #tools: DoubleTools;
  readonly #tokens: TokenEndpoint;
  /** When a contact last wrote: epoch ms by conversation. */
  readonly #lastWritten = new Map<string, number>();
  /** Ids of messages, for each conversation: the platform takes none twice. */
  readonly #taken = new Set<string>();

  constructor(credentials: BizMapsCredentials, tools: DoubleTools) {
    this.#credentials = credentials;
    this.#tools = tools;
    this.#tokens = new TokenEndpoint(credentials.saFile, scope, tools.now);
    this.introduction = {
      component: 'bizmaps',
      configuration: { ...credentials, apiBase: tools.url },
      connect: { operation: 'channels.bizmaps.connect', body: { agent_id: agentId, name: 'Lamp shop' } },
      ...{ account: agentId, contact: 'conversation-1' },
      reply: { text: '<text>', representative: { representativeType: 'HUMAN' } },
    };
  }

  get handshake(): Handshake {
    const wanted = String(randomBytes(4).readUInt32BE());
    const body = JSON.stringify({ clientToken: this.#credentials.partnerKey, secret: wanted });
    return { method: 'POST', url: this.#hubUrl, body, headers: this.#headersOf(body), wanted };
  }

  isSend = ({ method, path }: ApiCall): boolean =>
    method === 'POST' && /^\/v1\/conversations\/[^/]+\/messages$/.test(path);

  refusal = (): ApiAnswer => problem(400, 'FAILED_PRECONDITION', 'The message can not be delivered to the user.');

  throttling = (): ApiAnswer =>
    problem(429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.");

  async answer(call: ApiCall): Promise<PlatformAnswer> {
    const { method, path } = call;
    if (path === this.#tokens.path && method === 'POST') return this.#tokens.answer(call);
    if (!this.#tokens.isLetIn(call)) {
      const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or';
      return problem(401, 'UNAUTHENTICATED', `${message} other valid authentication credential.`);
    }
    const [, conversation = '', rest = ''] = /^\/v1\/conversations\/([^/]+)\/(.+)$/.exec(path) ?? [];
    if (!this.#lastWritten.has(decodeURIComponent(conversation))) return notFound;
    return this.#answerOf(call, decodeURIComponent(conversation), rest);
  }

  async written({ from, to, text, name, content, sentAt }: WrittenMessage): Promise<PlatformWebhook> {
    if (to !== agentId) throw new Impossible(`${to} is no agent of the double: it has ${agentId}`);
    const id = randomUUID();
    this.#lastWritten.set(from, sentAt);
    const at = new Date(sentAt).toISOString();
    const message = { messageId: id, name: `conversations/${from}/messages/${id}`, text, createTime: at };
    const webhook = this.#event(from, {
      ...(content ?? { message }),
      context: { userInfo: { displayName: name ?? 'Ada', userDeviceLocale: 'en-GB' }, entryPoint: 'MAPS' },
      sendTime: at,
    });
    return { ...webhook, id };
  }

  async webhook(body: Fields): Promise<PlatformWebhook> {
    return this.#signed(JSON.stringify(body));
  }

  async report({ id, contact }: TakenMessage, report: string): Promise<PlatformWebhook> {
    const at = new Date(this.#tools.now()).toISOString();
    const receipt = {
      message: `conversations/${contact}/messages/${id}`,
      receiptType: report.toUpperCase(),
    };
    return this.#event(contact, { receipts: { receipts: [receipt], createTime: at }, sendTime: at });
  }

  get #hubUrl(): string {
    return `${this.#tools.hub.url}/bizmaps`;
  }

  #answerOf(call: ApiCall, conversation: string, rest: string): PlatformAnswer {
    const { method, query } = call;
    if (method === 'POST' && rest === 'messages') return this.#take(conversation, jsonIn(call));
    if (method === 'POST' && rest === 'events') {
      const { eventType } = jsonIn(call);
      const id = query.get('eventId') ?? '';
      if (id === '') return problem(400, 'INVALID_ARGUMENT', 'event_id is required.');
      if (!events.includes(textOf(eventType))) return problem(400, 'INVALID_ARGUMENT', 'Invalid event_type.');
      return jsonAnswer(200, { name: `conversations/${conversation}/events/${id}`, ...jsonIn(call) });
    }
    if (method === 'PATCH' && /^messages\/[^/]+\/receipt$/.test(rest)) return jsonAnswer(200, jsonIn(call));
    return notFound;
  }

  #take(conversation: string, body: Fields): PlatformAnswer {
    const id = textOf(body['messageId']);
    const author = textOf(fieldsOf(body['representative'])['representativeType']);
    if (id === '') return problem(400, 'INVALID_ARGUMENT', 'message_id is required.');
    if (!['BOT', 'HUMAN'].includes(author)) {
      return problem(400, 'INVALID_ARGUMENT', 'representative.representative_type must be BOT or HUMAN.');
    }
    if (!contentFields.some((field) => field in body)) {
      return problem(400, 'INVALID_ARGUMENT', 'The message has no content.');
    }
    const name = `conversations/${conversation}/messages/${id}`;
    if (this.#taken.has(name)) return problem(409, 'ALREADY_EXISTS', `The message ${id} exists already.`);
    const lastWritten = this.#lastWritten.get(conversation)!;
    if (this.#tools.now() - lastWritten >= windowMs) {
      return problem(400, 'FAILED_PRECONDITION', 'The conversation is inactive: the user has not written for 30 days.');
    }
    this.#taken.add(name);
    const at = this.#tools.now();
    const reports = ['delivered', 'read'];
    const took = { id, account: agentId, contact: conversation, content: body, at, reports };
    return { ...jsonAnswer(200, { ...body, name, createTime: new Date(at).toISOString() }), took };
  }

  #event(conversation: string, event: Fields): PlatformWebhook {
    const agent = `${brand}/agents/${agentId}`;
    const body = { agent, conversationId: conversation, customAgentId: agentId, requestId: randomUUID(), ...event };
    return { ...this.#signed(JSON.stringify(body)), conversation };
  }

  #signed(body: string): PlatformWebhook {
    return {
      ...{ url: this.#hubUrl, headers: this.#headersOf(body), body },
      ...{ conversation: '', repeated: 'until-taken' },
    };
  }

  /** The platform has no published implementation of its signature: these are the words of its documentation. */
  #headersOf(body: string): Record<string, string> {
    const signature = createHmac('sha512', this.#credentials.partnerKey).update(body).digest('base64');
    return { 'Content-Type': 'application/json; charset=UTF-8', 'X-Goog-Signature': signature };
  }
}

const events = ['TYPING_STARTED', 'TYPING_STOPPED', 'REPRESENTATIVE_JOINED', 'REPRESENTATIVE_LEFT'];
