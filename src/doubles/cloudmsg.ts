import { createHash, randomBytes } from 'node:crypto';
import { TokenBucket } from './behaviour.ts';
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
import {
  badParameter,
  type GraphApp,
  graphError,
  graphPath,
  GraphPlatform,
  graphVersion,
  unknownObject,
} from './graph.ts';
import { objectAnswer } from './pages.ts';
import { pixelAnswer } from './pixel.ts';
import { type ApiAnswer, type ApiCall, type Fields, fieldsOf, jsonAnswer, jsonIn, textOf } from './wire.ts';

const phoneNumbers = [
  { id: '200000000000001', display_phone_number: '15550003001', verified_name: 'Lamp shop' },
  { id: '200000000000002', display_phone_number: '15550003002', verified_name: 'Book shop' },
];
const businessAccount = '300000000000001';
const windowMs = 24 * 60 * 60_000;
/** What the platform takes: of one number, and of one number for one contact. */
const ofNumber = { perSecond: 80, burst: 80 };
const ofPair = { perSecond: 1 / 6, burst: 45 };
const messageTypes = [
  ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'interactive', 'reaction'],
  'template',
];

const newMessageId = (): string => `wamid.${randomBytes(30).toString('base64')}`;

const sendError = (status: number, code: number, title: string, details: string): ApiAnswer =>
  graphError(status, {
    message: `(#${code}) ${title}`,
    code,
    error_data: { messaging_product: 'whatsapp', details },
  });

/** The double of the cloud chat service of phone numbers. */
export class CloudMsgDouble implements PlatformDouble {
  readonly introduction: Introduction;
  readonly #graph: GraphPlatform;
  readonly #tools: DoubleTools;
  /** When a contact last wrote: epoch ms by the ids of number and contact. */
  readonly #lastWritten = new Map<string, number>();
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(app: GraphApp, tools: DoubleTools) {
    this.#tools = tools;
    this.#graph = new GraphPlatform(app, tools, 401);
    const [{ id, verified_name }] = phoneNumbers as [(typeof phoneNumbers)[number]];
    this.introduction = {
      component: 'cloudmsg',
      configuration: { ...app, apiBase: tools.url + graphVersion },
      connect: {
        operation: 'channels.cloudmsg.connect',
        body: { phone_number_id: id, user_token: this.#graph.token('user'), name: verified_name },
      },
      ...{ account: id, contact: '4915550004001' },
      reply: { type: 'text', text: { body: '<text>' } },
    };
  }

  get handshake(): Handshake {
    return this.#graph.handshake('/cloudmsg');
  }

  isSend = (call: ApiCall): boolean =>
    call.method === 'POST' && graphPath(call).endsWith('/messages') && !('status' in jsonIn(call));

  refusal = (): ApiAnswer => sendError(400, 131026, 'Message undeliverable', 'The message could not be delivered.');

  throttling = (): ApiAnswer => sendError(429, 130429, 'Rate limit hit', 'The throughput of the number was reached.');

  async answer(call: ApiCall): Promise<PlatformAnswer> {
    const path = graphPath(call);
    if (path === '/oauth/access_token') return this.#graph.exchange(call, exchanged);
    if (this.#graph.holderOf(call, [...exchanged.keys()]) === null) return this.#graph.tokenProblem(call);
    return this.#graph.proofProblem(call, false) ?? this.#answerTo(call, path);
  }

  async written({ from, to, text, name, content, sentAt }: WrittenMessage): Promise<PlatformWebhook> {
    if (!phoneNumbers.some(({ id }) => id === to)) throw new Impossible(`${to} is no phone number id of the double`);
    const [id, contact] = [newMessageId(), digits(from)];
    this.#lastWritten.set(`${to} ${contact}`, sentAt);
    const timestamp = String(Math.floor(sentAt / 1_000));
    const value = {
      contacts: [{ profile: { name: name ?? 'Ada' }, wa_id: contact }],
      messages: [{ from: contact, id, timestamp, ...(content ?? { type: 'text', text: { body: text } }) }],
    };
    return { ...(await this.#change(to, contact, value)), id };
  }

  webhook = async (body: Fields): Promise<PlatformWebhook> => this.#graph.signed('/cloudmsg', body);

  async report({ id, account, contact, content }: TakenMessage, report: string): Promise<PlatformWebhook> {
    const timestamp = String(Math.floor(this.#tools.now() / 1_000));
    const category = content['type'] === 'template' ? 'utility' : 'service';
    const status = {
      ...{ id, status: report, timestamp, recipient_id: contact },
      ...(report === 'failed'
        ? { errors: [failure] }
        : { pricing: { billable: true, pricing_model: 'PMP', category, type: 'regular' } }),
    };
    return this.#change(account, contact, { statuses: [status] });
  }

  #answerTo(call: ApiCall, path: string): PlatformAnswer {
    const [, id = '', edge = ''] = /^\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const number = phoneNumbers.find((one) => one.id === id);
    if (edge === 'messages' && number && call.method === 'POST') return this.#take(id, jsonIn(call));
    if (edge === 'subscribed_apps' && id === businessAccount) return jsonAnswer(200, { success: true });
    if (call.method !== 'GET') return unknownObject(id);
    if (number && edge === '') {
      const fields = { ...number, quality_rating: 'GREEN', platform_type: 'CLOUD_API' };
      return objectAnswer(fields, call.query.get('fields') ?? 'verified_name,display_phone_number,quality_rating');
    }
    return mediaOf(id, edge, this.#tools.url) ?? unknownObject(id);
  }

  #take(from: string, body: Fields): PlatformAnswer {
    if (body['messaging_product'] !== 'whatsapp') return badParameter('The parameter messaging_product is required.');
    if (body['status'] === 'read') {
      if (textOf(body['message_id']) === '') return badParameter('The parameter message_id is required.');
      return jsonAnswer(200, { success: true });
    }
    const contact = digits(textOf(body['to']));
    const wrong = problemOf(body, contact) ?? this.#tooMany(from, contact) ?? this.#outsideWindow(from, contact, body);
    if (wrong) return wrong;
    const id = newMessageId();
    const reports = ['sent', 'delivered', 'read'];
    const took = { id, account: from, contact, content: body, at: this.#tools.now(), reports };
    const answer = jsonAnswer(200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: body['to'], wa_id: contact }],
      messages: [{ id, ...(body['type'] === 'template' && { message_status: 'accepted' }) }],
    });
    return { ...answer, took };
  }

  #tooMany(from: string, contact: string): ApiAnswer | null {
    if (!this.#bucket(from, ofNumber).take()) return this.throttling();
    if (this.#bucket(`${from} ${contact}`, ofPair).take()) return null;
    const title = '(Business Account, Consumer Account) pair rate limit hit';
    return sendError(400, 131056, title, 'Too many messages from this number to this contact in a short time.');
  }

  #bucket(name: string, { perSecond, burst }: { perSecond: number; burst: number }): TokenBucket {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(perSecond, burst, this.#tools.now);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #outsideWindow(from: string, contact: string, { type }: Fields): ApiAnswer | null {
    const lastWritten = this.#lastWritten.get(`${from} ${contact}`) ?? Number.NEGATIVE_INFINITY;
    if (type === 'template' || this.#tools.now() - lastWritten < windowMs) return null;
    const details = 'More than 24 hours have passed since the recipient last replied to the sender number.';
    return sendError(400, 131047, 'Re-engagement message', details);
  }

  async #change(account: string, contact: string, value: Fields): Promise<PlatformWebhook> {
    const { display_phone_number } = phoneNumbers.find(({ id }) => id === account)!;
    const metadata = { display_phone_number, phone_number_id: account };
    const webhook = await this.#graph.signed('/cloudmsg', {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: businessAccount,
          changes: [{ value: { messaging_product: 'whatsapp', metadata, ...value }, field: 'messages' }],
        },
      ],
    });
    return { ...webhook, conversation: `${account} ${contact}` };
  }
}

const exchanged: ReadonlyMap<string, string> = new Map([
  ['user', 'user for long'],
  ['user for long', 'user for long'],
]);

const digits = (number: string): string => number.replace(/\D/g, '');

/** What a message fails of that is reported as failed without another reason. */
const failure = {
  ...{ code: 131026, title: 'Message undeliverable', message: 'Message undeliverable' },
  error_data: { details: 'Message Undeliverable.' },
};

function problemOf(body: Fields, contact: string): ApiAnswer | null {
  const type = textOf(body['type'] ?? 'text');
  if (contact === '') return badParameter('The parameter to is required.');
  if (!messageTypes.includes(type)) return badParameter(`Param type must be one of {${messageTypes.join(', ')}}`);
  if (Array.isArray(body[type]) || Object.keys(fieldsOf(body[type])).length > 0) return null;
  return badParameter(`The parameter ${type}['${type === 'text' ? 'body' : 'id'}'] is required.`);
}

/** A file, first its address, which is only for whoever has a token, then what is there. */
function mediaOf(id: string, edge: string, url: string): ApiAnswer | null {
  if (id === 'media') return pixelAnswer;
  if (!/^4\d{14}$/.test(id) || edge !== '') return null;
  const file = pixelAnswer.body as Buffer;
  return jsonAnswer(200, {
    ...{ messaging_product: 'whatsapp', id, url: `${url}/media/${id}`, mime_type: 'image/png' },
    ...{ sha256: createHash('sha256').update(file).digest('hex'), file_size: file.length },
  });
}
