import { sign } from '@octokit/webhooks-methods';
import type { RawRequest } from '#src/connectors/connector.ts';
import { type Config, type PlatformApp, Secret } from '#src/config/config.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { testConfig } from '../../_support/config.ts';

/** What the platform of the tests and the hub both know. */
export const appSecret = 'the-secret-of-the-app';
export const verifyToken = 'the-token-of-the-handshake';
export const token = 'EAAGtokenOfTheAccount0123456789';
export const app: PlatformApp = {
  ...{ apiBase: 'https://graph.example/v23.0', appId: 'app-1' },
  ...{ appSecret: new Secret(appSecret), webhookSecret: new Secret(verifyToken) },
};

/** A hub with the apps of both connectors. */
export function configured(): Config {
  const config = testConfig();
  return { ...config, components: { sources: { ...config.components.sources, pageplatform: app, cloudmsg: app } } };
}

/** A request as the platform makes it. @param signed what it has signed, where that is not what it sends */
export async function posted(path: string, content: object | string, signed?: string): Promise<RawRequest> {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': await sign(appSecret, signed ?? body),
  };
  return { method: 'POST', url: new URL(path, 'https://hub.example'), headers, body: Buffer.from(body) };
}

/** A handshake. */
export function shaken(path: string, changes: Record<string, string | null> = {}): RawRequest {
  const url = new URL(path, 'https://hub.example');
  const asked = { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': '1158201444', ...changes };
  for (const [name, value] of Object.entries(asked)) if (value !== null) url.searchParams.set(name, value);
  return { method: 'GET', url, headers: {}, body: Buffer.alloc(0) };
}

/** An answer of the platform. */
export const answered = (
  status: number,
  body: object | string,
  headers: Record<string, string> = {},
): OutgoingResult => ({
  ...{ kind: 'answered', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  ...{ truncated: false, durationMs: 1 },
});

export const outOfReach: OutgoingResult = { kind: 'failed', reason: 'connection', durationMs: 1 };

/** The error that the platform answers with. */
export const refusal = (code: number, message: string, more: object = {}) =>
  answered(400, { error: { message, type: 'OAuthException', code, fbtrace_id: 'AbCdEf', ...more } });

/** Tools whose calls get these answers, one after the other, and the calls that were made. */
export function calling(...answers: OutgoingResult[]) {
  const calls: OutgoingRequest[] = [];
  const send = async (request: OutgoingRequest): Promise<OutgoingResult> => {
    calls.push(request);
    return answers[calls.length - 1] ?? answered(500, 'There was one call too many.');
  };
  return { calls, tools: { http: { send }, now: () => Date.UTC(2026, 0, 1) } };
}

/** A call as the platform sees it: method, path with its question, body. */
export function seen({ method, url, body }: OutgoingRequest): [string | undefined, string, unknown] {
  const asked = new URL(url);
  asked.searchParams.delete('appsecret_proof');
  return [method, asked.href.replace(app.apiBase, ''), body === undefined ? null : JSON.parse(String(body))];
}
