import type { PlatformApp } from '#src/config/config.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import type { CallTools } from '../calls.ts';
import { outcomeOf } from '../outcome.ts';
import { readingOf, secretsOf } from './answers.ts';
import { hmacOf } from './signature.ts';

/** Total time of a call, in ms. */
const callTimeout = 10_000;
/** A page of accounts with their pictures is longer than what platforms say of a message. */
const longestAnswer = 1024 * 1024;

/** A call of the platform's API. */
export interface GraphCall {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Parts of the path: ids among them are foreign. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: object;
}

/** A call with a token, and the proof that the app has it. Null: one that needs no token. */
export function requestOf(app: PlatformApp, token: string | null, call: GraphCall): OutgoingRequest {
  const { method = 'POST', path, query = {}, body } = call;
  const proof = token === null ? {} : { appsecret_proof: hmacOf(app.appSecret.reveal(), token) };
  const asked = new URLSearchParams({ ...query, ...proof }).toString();
  const address = [app.apiBase.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
  return {
    method,
    url: asked === '' ? address : `${address}?${asked}`,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    timeoutMs: callTimeout,
    maximumAnswerBytes: longestAnswer,
  };
}

/** What came of a call that sends no message. `unreachable`: it may be tried again. */
export type GraphAnswer =
  | { kind: 'answered'; said: Record<string, unknown> }
  | { kind: 'rejected'; error: string }
  | { kind: 'unreachable'; error: string };

/** Makes a call that sends no message. Does not reject. @param others tokens besides its own that an error must not show */
export async function ask(
  app: PlatformApp,
  token: string | null,
  call: GraphCall,
  { http, now }: CallTools,
  others: readonly string[] = [],
): Promise<GraphAnswer> {
  const result = await http.send(requestOf(app, token, call));
  let said: Record<string, unknown> = {};
  const reading = readingOf([...secretsOf(app, token), ...others], (answer) => {
    said = answer;
    return { kind: 'succeeded', sourceMessageId: null, metadata: {} };
  });
  const outcome = outcomeOf(result, now(), reading);
  if (outcome.kind === 'succeeded') return { kind: 'answered', said };
  return { kind: outcome.kind === 'rejected' ? 'rejected' : 'unreachable', error: outcome.error };
}
