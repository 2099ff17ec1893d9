import { randomBytes } from 'node:crypto';
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
  parameter,
  unknownObject,
} from './graph.ts';
import { listAnswer, objectAnswer, type BusinessPage, pageFields, pages, photoAccountFields } from './pages.ts';
import { pixelAnswer } from './pixel.ts';
import { type ApiAnswer, type ApiCall, type Fields, fieldsOf, jsonAnswer, jsonIn, textOf } from './wire.ts';

const windowMs = 24 * 60 * 60_000;
const subscribable = [
  ...['messages', 'messaging_postbacks', 'messaging_optins', 'messaging_referrals', 'messaging_handovers'],
  ...['message_deliveries', 'message_reads', 'message_echoes', 'message_reactions', 'message_edits', 'standby'],
  ...['messaging_account_linking', 'messaging_customer_information', 'messaging_policy_enforcement', 'feed'],
  ...['messaging_feedback', 'message_context', 'inbox_labels', 'response_feedback', 'messaging_optouts'],
];
/** Which field of its subscription a page needs, so that the app hears of it. */
const fieldOfReport: Record<string, string> = {
  ...{ echo: 'message_echoes', delivered: 'message_deliveries', read: 'message_reads' },
};

const newMessageId = (): string => `m_${randomBytes(48).toString('base64url')}`;

/** A contact of one account. */
interface Contact {
  name: string;
  /** Epoch ms. */
  lastWritten: number;
}

/** The double of the page platform, and of the photo platform, whose accounts are linked to pages. */
export class PagePlatformDouble implements PlatformDouble {
  readonly introduction: Introduction;
  readonly #graph: GraphPlatform;
  readonly #tools: DoubleTools;
  readonly #isPhoto: boolean;
  /** What the app hears of each page. */
  readonly #subscribed = new Map<string, readonly string[]>();
  /** By the ids of account and contact. */
  readonly #contacts = new Map<string, Contact>();

  constructor(source: string, app: GraphApp, tools: DoubleTools) {
    this.#isPhoto = source === 'photoplatform';
    this.#tools = tools;
    this.#graph = new GraphPlatform(app, tools, 400);
    const [page] = pages as [BusinessPage];
    const account = this.#isPhoto ? page.photoAccount : page;
    const linked = this.#isPhoto && { account_id: page.photoAccount.id };
    this.introduction = {
      component: 'pageplatform',
      configuration: { ...app, apiBase: tools.url + graphVersion },
      connect: {
        operation: `channels.${source}.connect`,
        body: { page_id: page.id, page_token: this.#graph.token('user'), ...linked, name: account.name },
      },
      account: account.id,
      contact: '7000000000000001',
      reply: { text: '<text>' },
    };
  }

  get handshake(): Handshake {
    return this.#graph.handshake(this.#hubPath);
  }

  isSend = (call: ApiCall): boolean =>
    call.method === 'POST' && graphPath(call).endsWith('/messages') && !('sender_action' in jsonIn(call));

  refusal = (): ApiAnswer =>
    graphError(400, { message: "(#551) This person isn't available right now.", code: 551, error_subcode: 1545041 });

  throttling = (): ApiAnswer =>
    graphError(400, { message: '(#613) Calls to this api have exceeded the rate limit.', code: 613 });

  async answer(call: ApiCall): Promise<PlatformAnswer> {
    const path = graphPath(call);
    if (path.startsWith('/media/')) return pixelAnswer;
    if (path === '/oauth/access_token') return this.#graph.exchange(call, exchanged);
    const holder = this.#graph.holderOf(call, [...exchanged.keys()]);
    if (holder === null) return this.#graph.tokenProblem(call);
    return this.#graph.proofProblem(call, true) ?? this.#answerTo(call, path, holder);
  }

  async written({ from, to, text, name, content, sentAt }: WrittenMessage): Promise<PlatformWebhook> {
    const page = this.#pageOf(to);
    if (page === null) throw new Impossible(`${to} is no account of the double: see "account" at its start`);
    if (!this.#subscribed.get(page.id)?.includes('messages')) {
      throw new Impossible(`the app is not subscribed to the messages of ${to}: connect its channel first`);
    }
    const id = newMessageId();
    this.#contacts.set(`${to} ${from}`, { name: name ?? 'Ada Lovelace', lastWritten: sentAt });
    const message = { mid: id, ...(content ?? { text }) };
    return { ...(await this.#event(to, from, sentAt, { message })), id };
  }

  webhook = async (body: Fields): Promise<PlatformWebhook> => this.#graph.signed(this.#hubPath, body);

  async report(message: TakenMessage, report: string): Promise<PlatformWebhook | null> {
    const { id, account, contact, at, content } = message;
    const field = fieldOfReport[report];
    if (field === undefined) throw new Impossible(`there is no report ${report}: echo, delivered and read are`);
    if (!this.#subscribed.get(this.#pageOf(account)?.id ?? '')?.includes(field)) return null;
    const now = this.#tools.now();
    if (report === 'delivered') return this.#event(account, contact, now, { delivery: { mids: [id], watermark: at } });
    if (report === 'read')
      return this.#event(account, contact, now, { read: this.#isPhoto ? { mid: id } : { watermark: at } });
    const echo = { mid: id, is_echo: true, app_id: Number(this.#graph.app.appId), ...fieldsOf(content['message']) };
    return this.#event(account, contact, at, { message: echo, sender: { id: account }, recipient: { id: contact } });
  }

  get #hubPath(): string {
    return this.#isPhoto ? '/photoplatform' : '/pageplatform';
  }

  #answerTo(call: ApiCall, path: string, holder: string): PlatformAnswer {
    const { method, query } = call;
    const { url } = this.#tools;
    if (path === '/me/accounts' && method === 'GET' && holder.startsWith('user')) {
      const list = pages.map((page) => pageFields(page, url, this.#graph.token(holderOf(page))));
      return listAnswer(list, query, `${url}${graphVersion}/me/accounts`, this.#graph.tokenOf(call));
    }
    const [, id = '', edge = ''] = /^\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const page = pages.find((one) => [one.id, one.photoAccount.id].includes(id)) ?? null;
    if (edge === 'messages' && method === 'POST') return this.#take(call, holder);
    if (edge === 'subscribed_apps' && page) return this.#subscribe(call, page, holder);
    if (edge !== '' || method !== 'GET') return unknownObject(id);
    const wanted = query.get('fields') ?? '';
    if (page && !mayRead(holder, page)) return unknownObject(id);
    if (page?.photoAccount.id === id) return objectAnswer(photoAccountFields(page, url), wanted);
    if (page) return objectAnswer(pageFields(page, url, this.#graph.token(holderOf(page))), wanted);
    return this.#profile(id, holder, wanted);
  }

  #subscribe(call: ApiCall, page: BusinessPage, holder: string): ApiAnswer {
    if (holder !== holderOf(page)) return needsPageToken;
    if (call.method === 'DELETE') {
      this.#subscribed.delete(page.id);
      return jsonAnswer(200, { success: true });
    }
    if (call.method === 'GET') {
      const subscribed_fields = this.#subscribed.get(page.id);
      const app = { id: this.#graph.app.appId, name: 'Parley', subscribed_fields };
      return jsonAnswer(200, { data: subscribed_fields ? [app] : [] });
    }
    const fields = parameter(call, 'subscribed_fields')
      .split(',')
      .flatMap((field) => field.trim() || []);
    if (fields.length === 0) return badParameter('The parameter subscribed_fields is required.');
    const unknown = fields.findIndex((field) => !subscribable.includes(field));
    if (unknown >= 0) {
      return badParameter(`Param subscribed_fields[${unknown}] must be one of {${subscribable.join(', ')}}`);
    }
    this.#subscribed.set(page.id, fields);
    return jsonAnswer(200, { success: true });
  }

  #profile(id: string, holder: string, wanted: string): ApiAnswer {
    const known = accountsOf(holder).map((account) => this.#contacts.get(`${account} ${id}`));
    const contact = known.find((one) => one !== undefined);
    if (!contact) return unknownObject(id);
    const [first_name = '', ...others] = contact.name.split(' ');
    const profile_pic = `${this.#tools.url}/media/${id}.png`;
    const fields = known[0]
      ? { id, name: contact.name, first_name, last_name: others.join(' '), profile_pic }
      : { id, name: contact.name, username: contact.name.replaceAll(' ', '').toLowerCase(), profile_pic };
    return objectAnswer(fields, wanted);
  }

  #take(call: ApiCall, holder: string): PlatformAnswer {
    const body = jsonIn(call);
    const to = textOf(fieldsOf(body['recipient'])['id']);
    if (!holder.startsWith('page')) return needsPageToken;
    if (to === '') return badParameter('The parameter recipient is required');
    const account = accountsOf(holder).find((one) => this.#contacts.has(`${one} ${to}`));
    if (account === undefined) return badParameter('No matching user found', 2018001);
    if ('sender_action' in body) return this.#act(textOf(body['sender_action']), to);
    if (Object.keys(fieldsOf(body['message'])).length === 0) {
      return badParameter('You must provide either message or sender_action', 2018005);
    }
    const mayBeLate = ['MESSAGE_TAG', 'UTILITY'].includes(textOf(body['messaging_type'])) || 'tag' in body;
    const { lastWritten } = this.#contacts.get(`${account} ${to}`)!;
    if (!mayBeLate && this.#tools.now() - lastWritten >= windowMs) return windowClosed;
    const id = newMessageId();
    const reports = this.#isPhoto ? ['echo', 'read'] : ['echo', 'delivered', 'read'];
    const took = { id, account, contact: to, content: body, at: this.#tools.now(), reports };
    return { ...jsonAnswer(200, { recipient_id: to, message_id: id }), took };
  }

  #act(action: string, to: string): ApiAnswer {
    const known = ['mark_seen', 'typing_on', 'typing_off', 'react', 'unreact'];
    if (!known.includes(action)) return badParameter(`Param sender_action must be one of {${known.join(', ')}}`);
    return jsonAnswer(200, { recipient_id: to });
  }

  #pageOf(account: string): BusinessPage | null {
    return pages.find((page) => (this.#isPhoto ? page.photoAccount.id : page.id) === account) ?? null;
  }

  async #event(account: string, contact: string, at: number, event: Fields): Promise<PlatformWebhook> {
    const messaging = [{ sender: { id: contact }, recipient: { id: account }, timestamp: at, ...event }];
    const webhook = await this.#graph.signed(this.#hubPath, {
      object: this.#isPhoto ? 'instagram' : 'page',
      entry: [{ id: account, time: this.#tools.now(), messaging }],
    });
    return { ...webhook, conversation: `${account} ${contact}` };
  }
}

const holderOf = (page: BusinessPage): string => `page ${page.id}`;

/** Who has a token, and which one an exchange gives: a user's becomes one that lives longer, a page's stays. */
const exchanged: ReadonlyMap<string, string> = new Map([
  ['user', 'user for long'],
  ['user for long', 'user for long'],
  ...pages.map((page): [string, string] => [holderOf(page), holderOf(page)]),
]);

/** The accounts that a page's token is for. */
const accountsOf = (holder: string): readonly string[] =>
  pages.filter((page) => holderOf(page) === holder).flatMap(({ id, photoAccount }) => [id, photoAccount.id]);

const mayRead = (holder: string, page: BusinessPage): boolean => holder.startsWith('user') || holder === holderOf(page);

const needsPageToken = graphError(403, {
  message: '(#210) A page access token is required to request this resource.',
  code: 210,
});

const windowClosed = graphError(400, {
  message: '(#10) This message is sent outside of allowed window.',
  ...{ code: 10, error_subcode: 2018278 },
});
