import { createHmac, generateKeyPairSync } from 'node:crypto';
import { type Config, Secret } from '#src/config/config.ts';
import type { RawRequest } from '#src/connectors/connector.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { testConfig } from '../../_support/config.ts';

export const partnerKey = 'a-partner-key-of-the-platform';
export const accessToken = 'ya29.an-access-token';
export const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const tokenUri = 'https://login.example/token';
export const keyFile = {
  ...{ type: 'service_account', project_id: 'p', private_key_id: 'key-1', private_key: privateKey },
  ...{ client_email: 'hub@p.example', client_id: '1', token_uri: tokenUri },
};

export function bizMapsConfig(saFile: string = JSON.stringify(keyFile)): Config {
  const config = testConfig();
  const bizmaps = {
    ...{ apiBase: 'https://platform.example', saFile: new Secret(saFile), partnerKey: new Secret(partnerKey) },
  };
  return { ...config, components: { sources: { ...config.components.sources, bizmaps } } };
}

export const route = new URL('https://hub.example/bizmaps');

/** As the platform documents it; no library of it is published for this platform any more. */
export const signatureOf = (body: string | Uint8Array, key = partnerKey): string =>
  createHmac('sha512', key).update(body).digest('base64');

export function postedText(text: string): RawRequest {
  const body = Buffer.from(text);
  const headers = { 'content-type': 'application/json', 'x-goog-signature': signatureOf(body) };
  return { method: 'POST', url: route, headers, body };
}

export const posted = (event: object): RawRequest => postedText(JSON.stringify(event));

/** What is in every call of the platform. */
export const envelope = {
  agent: 'brands/1111/agents/2222',
  conversationId: '3333',
  customAgentId: 'hello-world-bot',
  requestId: '123123123',
  sendTime: '2026-01-01T00:00:01.045123456Z',
};

export const context = {
  entryPoint: 'PLACESHEET',
  placeId: 'ChIJj61dQgK6j4AR4GeTYWZsKWw',
  userInfo: { displayName: 'Ann', userDeviceLocale: 'de-DE' },
  resolvedLocale: 'de',
};

export const message = {
  messageId: '4444',
  name: 'conversations/3333/messages/4444',
  text: 'Hello hub',
  createTime: '2026-01-01T00:00:00.045123456Z',
};

/** Of the platform: a result, or a status with its body. */
export type Answer = OutgoingResult | readonly [status: number, body: unknown];

/** A platform that answers each call with the next of these, then with the last again. */
export function answering(...answers: Answer[]) {
  const calls: OutgoingRequest[] = [];
  const clock = { now: Date.UTC(2026, 0, 1) };
  const send = async (request: OutgoingRequest): Promise<OutgoingResult> => {
    calls.push(request);
    const answer = answers[Math.min(calls.length, answers.length) - 1]!;
    if ('kind' in answer) return answer;
    const [status, said] = answer;
    const body = typeof said === 'string' ? said : JSON.stringify(said);
    return { kind: 'answered', status, headers: {}, body, truncated: false, durationMs: 1 };
  };
  return { calls, clock, tools: { http: { send }, now: () => clock.now } };
}

export const granted = [200, { access_token: accessToken, expires_in: 3600, token_type: 'Bearer' }] as const;
