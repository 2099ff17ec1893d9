import { sign } from '@octokit/webhooks-methods';
import { expect } from 'vitest';
import { factories } from '#src/connectors/registry.ts';
import { startApi, type TestApi } from '../../_support/api.ts';
import { until } from '../../_support/source-client.ts';
import { type Answers, doubleOf } from './double.ts';
import { appSecret, configured } from './platform.ts';

/** A Message as the API shows it. */
export interface Shown {
  id: string;
  content: unknown;
  state: string;
  from_contact: boolean;
  metadata: Record<string, unknown>;
}

/** A hub with the apps of the tests, and the platform that it calls. */
export async function startWith(answers: Answers) {
  const { calls, client } = doubleOf(answers);
  const api = await startApi({ config: configured(), connectors: factories, client });
  api.dispatch(client);
  return { api, calls, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

/** What the platform tells the hub. */
export async function tell(api: TestApi, path: string, content: object): Promise<void> {
  const body = JSON.stringify(content);
  const { status } = await api.post(path, body, { 'X-Hub-Signature-256': await sign(appSecret, body) });
  expect(status).toBe(200);
}

/** The only conversation that there is. */
export async function onlyConversation(api: TestApi): Promise<{ id: string; metadata: Record<string, unknown> }> {
  const { body } = await api.post<{ data: [{ id: string; metadata: Record<string, unknown> }] }>('/conversations.list');
  expect(body.data).toHaveLength(1);
  return body.data[0];
}

export const messagesOf = async (api: TestApi, conversation_id: string): Promise<Shown[]> =>
  (await api.post<{ data: Shown[] }>('/messages.list', { conversation_id })).body.data;

/** Sends a message, and waits until the platform has it. */
export async function answer(api: TestApi, conversation_id: string, message: object): Promise<Shown> {
  const { body } = await api.post<Shown>('/messages.send', { conversation_id, message });
  const shown = async (): Promise<Shown> => (await messagesOf(api, conversation_id)).find(({ id }) => id === body.id)!;
  await until('sent', async () => (await shown()).state !== 'pending');
  return shown();
}
