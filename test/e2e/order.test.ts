import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventJson, MessageJson } from '#actors/representation.ts';
import { HubProcess } from '../_support/hub-process.ts';
import { SourceClient, until } from '../_support/source-client.ts';

let hub: HubProcess;

beforeAll(async () => {
  hub = await HubProcess.start();
}, 30_000);

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
});

interface List<T> {
  data: T[];
  pagination_data: { total: number };
}

test('100 equal ingests at once make one message', { timeout: 30_000 }, async () => {
  await using source = await SourceClient.register(hub, 'once');
  const answers = await Promise.all(Array.from({ length: 100 }, () => source.ingest('ann', 'm-1', 'hello')));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
  expect(answers.filter((answer) => !answer.duplicate)).toHaveLength(1);
  const { body } = await hub.post<List<MessageJson>>('/messages.list', {
    conversation_id: answers[0]!.conversation_id,
  });
  expect(body.data).toHaveLength(1);
  expect(body.pagination_data.total).toBe(1);
});

test('sends of 50 clients arrive once each, in accepted order', { timeout: 60_000 }, async () => {
  await using source = await SourceClient.register(hub, 'ordered');
  const { conversation_id } = await source.ingest('bob', 'first');
  const sends = 200;
  await Promise.all(
    Array.from({ length: 50 }, async (_, client) => {
      for (let n = 0; n < sends / 50; n++) {
        const message = { text: `${client}-${n}` };
        const { status } = await hub.post('/messages.send', { conversation_id, message });
        expect(status).toBe(200);
      }
    }),
  );
  await until('every send is received', () => source.calls.length >= sends, 40_000);
  const { body } = await hub.post<{ data: EventJson[] }>('/events.list', {
    types: ['message.created'],
    conversation_id,
    page_size: 1000,
  });
  const accepted = body.data
    .map((event) => event.payload.message as unknown as MessageJson)
    .filter((message) => !message.from_contact)
    .map((message) => message.id);
  expect(accepted).toHaveLength(sends);
  expect(source.calls.map((call) => call.body.payload.message.id)).toEqual(accepted);
  expect(source.calls.every((call) => call.signatureFits)).toBe(true);
});
