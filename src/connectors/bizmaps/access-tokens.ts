import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { CallOutcome, CallTools } from '../calls.ts';
import { objectIn, outcomeOf } from '../outcome.ts';
import { assertionOf, serviceAccountIn } from './service-account.ts';

/** Total time of a call for a token, in ms: with that of the call for which it is, 10 s. */
const callTimeout = 4_000;
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** How long before its end a token is not used any more, in ms: a call takes time, and clocks differ. */
const margin = 60_000;
/** How long a token is good for where its grant does not say, in seconds. */
const usualLifetime = 3_600;

/** Why there is no token. */
export type Ungranted = Exclude<CallOutcome, { kind: 'succeeded' }>;
export type Grant = { kind: 'granted'; token: string } | Ungranted;

/** The access tokens of a service account, one at a time. */
export interface AccessTokens {
  /** The token of the moment. A call is made only where there is none, however many ask for it. */
  current(tools: CallTools): Promise<Grant>;
  /** A new one, by a call. */
  fresh(tools: CallTools): Promise<Grant>;
  /** The platform does not take it any more. */
  forget(token: string): void;
}

/** @param keyFile of the service account */
export function accessTokens(keyFile: string): AccessTokens {
  let held: { token: string; until: number } | null = null;
  let asked: Promise<Grant> | null = null;
  const fresh = async (tools: CallTools): Promise<Grant> => {
    const asking = tools.now();
    const { grant, lifetime } = await ask(keyFile, tools);
    if (grant.kind === 'granted') held = { token: grant.token, until: asking + lifetime - margin };
    return grant;
  };
  return {
    fresh,
    current(tools) {
      if (held !== null && tools.now() < held.until) return Promise.resolve({ kind: 'granted', token: held.token });
      asked ??= fresh(tools).finally(() => {
        asked = null;
      });
      return asked;
    },
    forget(token) {
      if (held?.token === token) held = null;
    },
  };
}

const badKeyFile = 'components.sources.bizmaps.saFile is not the key file of a service account.';

/** `lifetime` in ms. */
async function ask(keyFile: string, { http, now }: CallTools): Promise<{ grant: Grant; lifetime: number }> {
  const account = serviceAccountIn(keyFile);
  const assertion = account && assertionOf(account, now());
  if (account === null || assertion === null) return { grant: { kind: 'rejected', error: badKeyFile }, lifetime: 0 };
  const result = await http.send({
    url: account.token_uri,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: grantType, assertion }).toString(),
    timeoutMs: callTimeout,
  });
  return grantIn(result, now());
}

function grantIn(result: OutgoingResult, now: number): { grant: Grant; lifetime: number } {
  const said = result.kind === 'answered' && result.status < 300 ? objectIn(result.body) : {};
  const { access_token: token, expires_in: seconds } = said;
  const lifetime = 1_000 * (typeof seconds === 'number' ? seconds : usualLifetime);
  // It becomes a header: what can not stand in one is no token.
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return { grant: { kind: 'granted', token }, lifetime };
  return { grant: refusalIn(result, now), lifetime: 0 };
}

const noToken: Ungranted = { kind: 'rejected', error: 'The platform gave the service account no token.' };

function refusalIn(result: OutgoingResult, now: number): Ungranted {
  const outcome = outcomeOf(result, now, {
    endpoint: 'The token endpoint of the service account',
    accepted: () => noToken,
    errorOf(body) {
      const { error, error_description: text } = objectIn(body);
      const words = [error, text].filter((part) => typeof part === 'string' && part !== '');
      return words.length === 0 ? null : `The service account is not let in: ${words.join(', ')}`;
    },
  });
  return outcome.kind === 'succeeded' ? noToken : outcome;
}
