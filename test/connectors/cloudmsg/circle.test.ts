import { expect, it } from 'vitest';
import { answer, messagesOf, onlyConversation, startWith, tell } from '../graph/circle.ts';
import { until } from '../../_support/source-client.ts';
import { contact, number, update } from './cases.ts';

const answers = {
  'GET /oauth/access_token': { access_token: 'lasting' },
  [`GET /${number}`]: { id: number, display_phone_number: '+1 555', verified_name: 'Shop' },
  [`POST /${number}/messages`]: { messages: [{ id: 'wamid.sent' }] },
};
const text = { type: 'text', text: { body: 'Hi' } };

it('a number goes the whole way, from connect to disconnect', async () => {
  await using hub = await startWith(answers);
  const { api, calls } = hub;
  const timestamp = String(Math.floor(api.system.clock.now() / 1_000));
  const given = { phone_number_id: number, user_token: 'given', name: 'Shop' };
  const connected = await api.post<{ id: string }>('/channels.cloudmsg.connect', given);
  expect(connected).toMatchObject({ status: 200, body: { source: 'cloudmsg', source_channel_id: number } });

  const hello = { from: contact, id: 'wamid.1', timestamp, type: 'text', text: { body: 'Hello' } };
  const contacts = [{ profile: { name: 'Sheena' }, wa_id: contact }];
  await Promise.all(Array.from({ length: 10 }, () => tell(api, '/cloudmsg', update({ contacts, messages: [hello] }))));
  const { id, metadata } = await onlyConversation(api);
  expect(metadata).toMatchObject({ contact: { displayName: 'Sheena' } });
  expect(await answer(api, id, text)).toMatchObject({ state: 'delivered', metadata: { source: { id: 'wamid.sent' } } });

  const status = (state: string, more: object = {}) =>
    tell(api, '/cloudmsg', update({ statuses: [{ id: 'wamid.sent', status: state, recipient_id: contact, ...more }] }));
  for (const state of ['read', 'sent', 'delivered']) await status(state);
  const shown = async () => (await messagesOf(api, id))[1]!;
  expect((await shown()).metadata['source']).toEqual({ id: 'wamid.sent', delivery_state: 'read' });
  await status('failed', { errors: [{ code: 131047, title: 'Re-engagement message' }] });
  expect(await shown()).toMatchObject({ state: 'failed', metadata: { error: 'Re-engagement message (131047)' } });

  expect((await api.post('/channels.cloudmsg.disconnect', { channel_id: connected.body.id })).status).toBe(202);
  expect(calls).toEqual(['GET /oauth/access_token', `GET /${number}`, `POST /${number}/messages`]);
  expect(JSON.stringify(api.lines)).not.toMatch(/lasting|the-secret|"given"/);
});

it('a number writes first, to the digits of a recipient', async () => {
  await using hub = await startWith(answers);
  const { api } = hub;
  const given = { phone_number_id: number, user_token: 'given', name: 'Shop' };
  const { body } = await api.post<{ id: string }>('/channels.cloudmsg.connect', given);
  const template = { type: 'template', template: { name: 'hello', language: { code: 'en' } } };
  const start = { channel_id: body.id, source_recipient_id: '+1 650 555 1234', message: template };
  expect((await api.post('/messages.send', start)).status).toBe(200);
  const { id } = await onlyConversation(api);
  await until('sent', async () => (await messagesOf(api, id))[0]?.state === 'delivered');
  const hello = { from: '16505551234', id: 'wamid.1', timestamp: '1767225600', type: 'text', text: { body: 'Hello' } };
  await tell(api, '/cloudmsg', update({ messages: [hello] }));
  expect((await onlyConversation(api)).id).toBe(id);
});
