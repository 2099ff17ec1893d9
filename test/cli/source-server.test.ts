import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type SourceReport, startSourceServer } from '#src/cli/demo/source-server.ts';

const token = 'the-token-of-the-source';
const conversation = { id: 'c', source_conversation_id: 'sc' };
const message = { id: 'm-1', source_recipient_id: 'ada', content: { text: 'Grüße' }, sent_at: '1' };
const action = JSON.stringify({ type: 'message.send', payload: { message, conversation } });

const sign = (body: string, key = token): string => createHmac('sha256', key).update(body).digest('hex');

async function startSource(known: string | undefined = token) {
  const reports: SourceReport[] = [];
  const server = await startSourceServer(
    () => known,
    (report) => reports.push(report),
  );
  onTestFinished(() => server.close());
  const post = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/actions`, { method: 'POST', body, headers });
    return { status: answer.status, body: await answer.json() };
  };
  return { post, reports };
}

test('takes a message with the right signature', async () => {
  const { post, reports } = await startSource();
  expect(await post(action, { 'X-Service-Content-Signature': sign(action) })).toEqual({
    status: 200,
    body: { source_message_id: 'demo-m-1', metadata: { carrier: 'demo' } },
  });
  expect(reports).toEqual([{ report: 'sent', id: 'm-1', content: { text: 'Grüße' } }]);
});

test.each([
  ['no signature', {}],
  ['another key', { 'X-Service-Content-Signature': sign(action, 'another-token') }],
  ['another body', { 'X-Service-Content-Signature': sign(`${action} `) }],
  ['upper case', { 'X-Service-Content-Signature': sign(action).toUpperCase() }],
  ['part of the signature', { 'X-Service-Content-Signature': sign(action).slice(0, 32) }],
])('refuses a call with %s', async (_title, headers) => {
  const { post, reports } = await startSource();
  expect(await post(action, headers as Record<string, string>)).toMatchObject({ status: 401 });
  expect(reports).toEqual([{ report: 'refused', reason: 'the signature is missing or wrong' }]);
});

test.each([
  ['a body that is not JSON', '{', 400],
  ['JSON that is no object', 'null', 400],
  ['another action', '{"type":"message.read","payload":{}}', 400],
  ['a message without conversation', JSON.stringify({ type: 'message.send', payload: { message } }), 422],
])('answers %s with an error', async (_title, body, status) => {
  const { post } = await startSource();
  const answer = await post(body, { 'X-Service-Content-Signature': sign(body) });
  expect(answer).toEqual({ status, body: { error: expect.any(String) } });
});

test('asks the hub to wait while the token is unknown', async () => {
  const reports: SourceReport[] = [];
  const server = await startSourceServer(
    () => undefined,
    (report) => reports.push(report),
  );
  onTestFinished(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.port}`, { method: 'POST', body: action });
  expect(answer.status).toBe(503);
});

test('refuses a body over the limit', async () => {
  const { post } = await startSource();
  const answer = await post('x'.repeat(1_048_577), {});
  expect(answer.status).toBe(413);
});
