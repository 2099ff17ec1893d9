import { randomBytes } from 'node:crypto';
import {
  type DoubleTools,
  Impossible,
  type PlatformAnswer,
  type PlatformDouble,
  type PlatformWebhook,
  type TakenMessage,
  type WrittenMessage,
} from './double.ts';
import { pixelAnswer } from './pixel.ts';
import { isSameText } from './same-text.ts';
import { type ApiAnswer, type ApiCall, type Fields, formIn, jsonAnswer, textOf } from './wire.ts';

export interface TelcoCredentials {
  accountSid: string;
  authToken: string;
}

/** What tells the two sources of the account apart: how an address is written on the wire, and what it can do. */
interface TelcoChannel {
  source: 'telco.sms' | 'telco.cloudmsg';
  prefix: string;
  reports: readonly string[];
}

const channels: readonly TelcoChannel[] = [
  { source: 'telco.sms', prefix: '', reports: ['sent', 'delivered'] },
  { source: 'telco.cloudmsg', prefix: 'whatsapp:', reports: ['sent', 'delivered', 'read'] },
];

const apiVersion = '2010-04-01';
const numbers = ['+15550001001', '+15550001002'];
const longestBody = 1_600;
const windowMs = 24 * 60 * 60_000;
const phoneNumber = /^\+[1-9]\d{6,14}$/;

/** Everything on the wire has an id of 32 hexadecimal digits behind two letters. */
const sidOf = (letters: string): string => letters + randomBytes(16).toString('hex');

export const newTelcoCredentials = (): TelcoCredentials => ({
  accountSid: sidOf('AC'),
  authToken: randomBytes(16).toString('hex'),
});

const problem = (status: number, code: number, message: string): ApiAnswer =>
  jsonAnswer(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });

/** A message that is under way, by its id: where its states are reported. */
interface UnderWay {
  callback: string;
  error: { code: number; message: string } | null;
}

/** The double of the telephony provider: text messages, and chat messages of phone numbers. */
export class TelcoDouble implements PlatformDouble {
  readonly introduction;
  readonly handshake = null;
  readonly #credentials: TelcoCredentials;
  readonly #tools: DoubleTools;
  readonly #channel: TelcoChannel;
  readonly #underWay = new Map<string, UnderWay>();
  /** When a contact last wrote: epoch ms by the addresses of both. */
  readonly #lastWritten = new Map<string, number>();
  readonly #stopped = new Set<string>();

  constructor(source: string, credentials: TelcoCredentials, tools: DoubleTools) {
    this.#credentials = credentials;
    this.#tools = tools;
    this.#channel = channels.find((channel) => channel.source === source)!;
    const { prefix } = this.#channel;
    this.introduction = {
      component: 'telco',
      configuration: { ...credentials, apiBase: tools.url },
      connect: { operation: `channels.${source}.connect`, body: { phone_number: numbers[0]!, name: 'Lamp shop' } },
      account: prefix + numbers[0]!,
      contact: `${prefix}+15550002001`,
      reply: { text: '<text>' },
    };
  }

  isSend = ({ method, path }: ApiCall): boolean => method === 'POST' && path === this.#pathOf('/Messages.json');

  refusal = (): ApiAnswer => problem(400, 21408, 'Permission to send an SMS has not been enabled for the region.');

  throttling = (): ApiAnswer => problem(429, 20429, 'Too Many Requests');

  async answer(call: ApiCall): Promise<PlatformAnswer> {
    if (!this.#isLetIn(call)) return problem(401, 20003, 'Authenticate');
    const { path, method } = call;
    if (this.isSend(call)) return this.#take(formIn(call));
    const { accountSid } = this.#credentials;
    if (method === 'GET' && path === `/${apiVersion}/Accounts/${accountSid}.json`) {
      return jsonAnswer(200, { sid: accountSid, friendly_name: 'A double', status: 'active', type: 'Full' });
    }
    if (method === 'GET' && path === this.#pathOf('/IncomingPhoneNumbers.json')) return this.#numbers(call);
    if (method === 'GET' && path.startsWith(this.#pathOf('/Messages/'))) {
      return pixelAnswer;
    }
    return problem(404, 20404, `The requested resource ${path} was not found`);
  }

  async written({ text, name, content, sentAt, ...between }: WrittenMessage): Promise<PlatformWebhook> {
    const [from, to] = [this.#address(between.from), this.#address(between.to)];
    if (!numbers.includes(to.slice(this.#channel.prefix.length))) {
      throw new Impossible(`${to} is no number of the account: it has ${numbers.join(' and ')}`);
    }
    const id = sidOf('SM');
    this.#lastWritten.set(`${to} ${from}`, sentAt);
    this.#noteStop(`${to} ${from}`, text);
    const files = Array.isArray(content?.['media']) ? content['media'].map(textOf) : [];
    const { media: _, ...others } = content ?? {};
    const fields = {
      ...{ MessageSid: id, SmsSid: id, SmsMessageSid: id, AccountSid: this.#credentials.accountSid },
      ...{ From: from, To: to, Body: text, NumSegments: '1', SmsStatus: 'received', ApiVersion: apiVersion },
      ...(from.startsWith('whatsapp:') && { ProfileName: name ?? 'Ada', WaId: from.replace(/\D/g, '') }),
      ...{ NumMedia: String(files.length) },
      ...Object.fromEntries(
        files.flatMap((type, n) => [
          [`MediaContentType${n}`, type || 'image/png'],
          [`MediaUrl${n}`, `${this.#tools.url}${this.#pathOf(`/Messages/${id}/Media/${sidOf('ME')}`)}`],
        ]),
      ),
      ...others,
    };
    return { ...(await this.#signed(fields)), id, conversation: `${to} ${from}` };
  }

  async webhook(body: Fields): Promise<PlatformWebhook> {
    return this.#signed(body);
  }

  async report(message: TakenMessage, report: string): Promise<PlatformWebhook | null> {
    const { callback = '', error = null } = this.#underWay.get(message.id) ?? {};
    if (callback === '') return null;
    const fields = {
      ...{ MessageSid: message.id, SmsSid: message.id, AccountSid: this.#credentials.accountSid },
      ...{ From: message.account, To: message.contact, MessageStatus: report, SmsStatus: report },
      ApiVersion: apiVersion,
      ...(error !== null && { ErrorCode: String(error.code), ErrorMessage: error.message }),
    };
    const conversation = `${message.account} ${message.contact}`;
    return { ...(await this.#signed(fields, callback)), id: message.id, conversation };
  }

  /** As it is on the wire, however people wrote it. */
  #address(number: string): string {
    return this.#channel.prefix + number.replace(/^[a-z]+:/, '');
  }

  /** Who asks for no more messages gets none. */
  #noteStop(conversation: string, text: string): void {
    if (/^\s*stop\s*$/i.test(text)) this.#stopped.add(conversation);
    if (/^\s*start\s*$/i.test(text)) this.#stopped.delete(conversation);
  }

  #pathOf(rest: string): string {
    return `/${apiVersion}/Accounts/${this.#credentials.accountSid}${rest}`;
  }

  #isLetIn({ headers }: ApiCall): boolean {
    const [, encoded = ''] = /^Basic (\S+)$/i.exec(headers.authorization ?? '') ?? [];
    const { accountSid, authToken } = this.#credentials;
    return isSameText(Buffer.from(encoded, 'base64').toString(), `${accountSid}:${authToken}`);
  }

  #numbers({ query }: ApiCall): ApiAnswer {
    const wanted = query.get('PhoneNumber');
    const found = numbers.filter((number) => wanted === null || number === wanted);
    const incoming_phone_numbers = found.map((phone_number) => ({ phone_number, friendly_name: phone_number }));
    return jsonAnswer(200, { incoming_phone_numbers, page: 0, page_size: 50 });
  }

  #take(form: URLSearchParams): PlatformAnswer {
    const [to, from] = [form.get('To') ?? '', form.get('From') ?? ''];
    const wrong = this.#problemOf(form, to, from);
    if (wrong) return wrong;
    const id = sidOf(form.has('MediaUrl') ? 'MM' : 'SM');
    const error = this.#lateError(form, to, from);
    this.#underWay.set(id, { callback: form.get('StatusCallback') ?? '', error });
    const reports = error ? ['failed'] : channelOf(from).reports;
    const content = Object.fromEntries([...new Set(form.keys())].map((key) => [key, form.getAll(key).join(' ')]));
    const took = { id, account: from, contact: to, content, at: this.#tools.now(), reports };
    const { accountSid } = this.#credentials;
    const answer = jsonAnswer(201, {
      ...{ sid: id, account_sid: accountSid, to, from, body: form.get('Body') ?? '', status: 'queued' },
      ...{ api_version: apiVersion, direction: 'outbound-api', num_media: String(form.getAll('MediaUrl').length) },
      ...{ num_segments: '1', error_code: null, error_message: null },
      uri: this.#pathOf(`/Messages/${id}.json`),
    });
    return { ...answer, took };
  }

  #problemOf(form: URLSearchParams, to: string, from: string): ApiAnswer | null {
    const [{ prefix }, body] = [channelOf(to), form.get('Body') ?? ''];
    if (to === '') return problem(400, 21604, "A 'To' phone number is required.");
    if (!phoneNumber.test(to.slice(prefix.length))) {
      return problem(400, 21211, `The 'To' number ${to} is not a valid phone number.`);
    }
    if (from === '') return problem(400, 21603, "A 'From' phone number is required.");
    if (channelOf(from).prefix !== prefix || !numbers.includes(from.slice(prefix.length))) {
      return problem(400, 21606, `The 'From' phone number ${from} is not a valid, SMS-capable inbound phone number.`);
    }
    if (this.#stopped.has(`${from} ${to}`)) return problem(400, 21610, 'Attempt to send to unsubscribed recipient');
    if (body === '' && !form.has('MediaUrl') && !form.has('ContentSid')) {
      return problem(400, 21602, 'Message body is required.');
    }
    if (body.length > longestBody) {
      return problem(400, 21617, 'The concatenated message body exceeds the 1600 character limit.');
    }
    return null;
  }

  /** What the provider finds out only when it hands the message on. */
  #lateError(form: URLSearchParams, to: string, from: string): UnderWay['error'] {
    if (channelOf(from).prefix === '' || form.has('ContentSid')) return null;
    const written = this.#lastWritten.get(`${from} ${to}`) ?? Number.NEGATIVE_INFINITY;
    if (this.#tools.now() - written < windowMs) return null;
    return { code: 63016, message: 'Failed to send freeform message because you are outside the allowed window.' };
  }

  /** Signed with the provider's own library, over the address that the provider was told. */
  async #signed(fields: Fields, callback?: string): Promise<PlatformWebhook> {
    const { hub } = this.#tools;
    const url = callback ?? `${hub.publicUrl}/telco`;
    const params = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
    // Loaded here: the library is of some size, and only this double needs it.
    const { getExpectedTwilioSignature } = (await import('twilio/lib/webhooks/webhooks.js')).default;
    return {
      url: url.startsWith(hub.publicUrl) ? hub.url + url.slice(hub.publicUrl.length) : url,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'X-Twilio-Signature': getExpectedTwilioSignature(this.#credentials.authToken, url, params),
      },
      body: new URLSearchParams(params).toString(),
      conversation: '',
      // An answer that says no loses the message.
      repeated: 'unreached',
    };
  }
}

const channelOf = (address: string): TelcoChannel =>
  channels.findLast(({ prefix }) => address.startsWith(prefix)) ?? channels[0]!;
