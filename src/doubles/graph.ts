import { createHmac, randomBytes } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import type { DoubleTools, Handshake, PlatformWebhook } from './double.ts';
import { isSameText } from './same-text.ts';
import { type ApiAnswer, type ApiCall, bearerIn, type Fields, formIn, jsonAnswer, jsonIn, textOf } from './wire.ts';

export interface GraphApp {
  appId: string;
  appSecret: string;
  webhookSecret: string;
}

export const newGraphApp = (): GraphApp => ({
  appId: String(randomBytes(6).readUIntBE(0, 6)),
  appSecret: randomBytes(16).toString('hex'),
  webhookSecret: randomBytes(16).toString('hex'),
});

export const graphVersion = '/v23.0';

/** The time that a token lives for after an exchange: about 60 days. */
const longLifeSeconds = 5_183_944;

export interface GraphProblem {
  message: string;
  type?: string;
  code: number;
  error_subcode?: number;
  error_data?: object;
}

/** An error in the shape that every call of the platform has. */
export const graphError = (status: number, { type = 'OAuthException', ...problem }: GraphProblem): ApiAnswer =>
  jsonAnswer(status, {
    error: { ...problem, type, fbtrace_id: `A${randomBytes(16).toString('base64url')}` },
  });

export const badParameter = (message: string, subcode?: number): ApiAnswer =>
  graphError(400, { message: `(#100) ${message}`, code: 100, ...(subcode && { error_subcode: subcode }) });

export const unknownObject = (id: string): ApiAnswer =>
  graphError(400, {
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    type: 'GraphMethodException',
    ...{ code: 100, error_subcode: 33 },
  });

/** The path of a call without the version of the API. */
export const graphPath = ({ path }: ApiCall): string => path.replace(/^\/v\d+\.\d+(?=\/)/, '');

/** A field of a call, wherever it may stand: query, form or JSON. */
export function parameter(call: ApiCall, name: string): string {
  const inQuery = call.query.get(name);
  if (inQuery !== null) return inQuery;
  const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm ? (formIn(call).get(name) ?? '') : textOf(jsonIn(call)[name]);
}

/** What both sources of the platform share: one app with its tokens, proofs, webhooks and handshake. */
export class GraphPlatform {
  readonly app: GraphApp;
  readonly #tools: DoubleTools;
  readonly #tokenStatus: number;

  /** @param tokenStatus of answers to tokens that are none */
  constructor(app: GraphApp, tools: DoubleTools, tokenStatus: number) {
    this.app = app;
    this.#tools = tools;
    this.#tokenStatus = tokenStatus;
  }

  /** A token that is the same after the double was started again. */
  token(holder: string): string {
    return `EAA${createHmac('sha256', this.app.appSecret).update(holder).digest('base64url')}`;
  }

  /** The token of a call as the header or a parameter has it. */
  tokenOf(call: ApiCall): string {
    return bearerIn(call) ?? parameter(call, 'access_token');
  }

  /** The first of the holders whose token the call has. */
  holderOf(call: ApiCall, holders: readonly string[]): string | null {
    const token = this.tokenOf(call);
    return holders.find((holder) => isSameText(token, this.token(holder))) ?? null;
  }

  /** What is wrong with the token of a call that has none of those that are known. */
  tokenProblem(call: ApiCall): ApiAnswer {
    const token = this.tokenOf(call);
    if (token === '') {
      const message = 'An active access token must be used to query information about the current user.';
      return graphError(this.#tokenStatus, { message, code: 2500 });
    }
    const message = `Error validating access token: the session is invalid, or the user logged out. Request: ${call.path}?access_token=${token}`;
    return graphError(this.#tokenStatus, { message, code: 190, error_subcode: 460 });
  }

  /** What is wrong with the proof that the caller knows the app's secret; null: nothing. */
  proofProblem(call: ApiCall, isRequired: boolean): ApiAnswer | null {
    const proof = parameter(call, 'appsecret_proof');
    if (proof === '' && !isRequired) return null;
    const type = 'GraphMethodException';
    if (proof === '') {
      const message = 'API calls from the server require an appsecret_proof argument';
      return graphError(400, { message, type, code: 100 });
    }
    const wanted = createHmac('sha256', this.app.appSecret).update(this.tokenOf(call)).digest('hex');
    if (isSameText(proof, wanted)) return null;
    return graphError(400, { message: 'Invalid appsecret_proof provided in the API argument', type, code: 100 });
  }

  /** `GET /oauth/access_token`: a token that lives longer. @param exchanged the token of a holder, by the one it has */
  exchange(call: ApiCall, exchanged: ReadonlyMap<string, string>): ApiAnswer {
    if (parameter(call, 'grant_type') !== 'fb_exchange_token') {
      return graphError(400, { message: 'Missing or invalid grant_type parameter', code: 1 });
    }
    if (parameter(call, 'client_id') !== this.app.appId) {
      const message = 'Error validating application. Cannot get application info due to a system error.';
      return graphError(400, { message, code: 101 });
    }
    if (!isSameText(parameter(call, 'client_secret'), this.app.appSecret)) {
      return graphError(400, { message: 'Error validating client secret.', code: 1 });
    }
    const given = parameter(call, 'fb_exchange_token');
    const holder = [...exchanged.keys()].find((known) => isSameText(given, this.token(known)));
    if (holder === undefined) {
      return graphError(400, { message: 'Invalid OAuth access token - Cannot parse access token', code: 190 });
    }
    const access_token = this.token(exchanged.get(holder)!);
    return jsonAnswer(200, { access_token, token_type: 'bearer', expires_in: longLifeSeconds });
  }

  /** A webhook, signed by a published implementation, over the form with escapes that the platform sends. */
  async signed(path: string, body: Fields): Promise<PlatformWebhook> {
    const text = escaped(JSON.stringify(body));
    return {
      url: this.#tools.hub.url + path,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'facebookexternalua',
        'X-Hub-Signature-256': await sign(this.app.appSecret, text),
      },
      body: text,
      conversation: '',
      repeated: 'until-taken',
    };
  }

  handshake(path: string): Handshake {
    const wanted = String(randomBytes(4).readUInt32BE());
    const query = new URLSearchParams({
      ...{ 'hub.mode': 'subscribe', 'hub.challenge': wanted, 'hub.verify_token': this.app.webhookSecret },
    });
    return { method: 'GET', url: `${this.#tools.hub.url}${path}?${query}`, wanted };
  }
}

/** Everything outside of ASCII as `\u00e4`, and slashes as `\/`: so the platform writes JSON. */
const escaped = (json: string): string =>
  json
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
