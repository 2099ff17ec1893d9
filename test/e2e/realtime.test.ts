import { Client, type IMessage } from '@stomp/stompjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { EventJson } from '#actors/representation.ts';
import { HubProcess } from '../_support/hub-process.ts';
import { SourceClient, until } from '../_support/source-client.ts';

let hub: HubProcess;
let source: SourceClient;

beforeAll(async () => {
  hub = await HubProcess.start({ shards: 4 });
  source = await SourceClient.register(hub, 'live');
}, 30_000);

afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

/** @stomp/stompjs as an application would use it; `onEvent` gets every event of a destination. */
async function follow(destination: string, onEvent: (event: EventJson) => void, after?: string): Promise<Client> {
  const client = new Client({
    webSocketFactory: () => new WebSocket(`${hub.url.replace('http', 'ws')}/ws.communication`, ['v12.stomp']),
    reconnectDelay: 0,
  });
  await new Promise<void>((resolve, reject) => {
    client.onStompError = (frame) => reject(new Error(frame.headers['message']));
    client.onConnect = () => {
      const receipt = 'subscribed';
      client.watchForReceipt(receipt, () => resolve());
      const headers = { receipt, ...(after !== undefined && { after }) };
      client.subscribe(destination, (message: IMessage) => onEvent(JSON.parse(message.body) as EventJson), headers);
    };
    client.activate();
  });
  return client;
}

test('stompjs sees a whole conversation as it happens', async () => {
  const { conversation_id } = await source.ingest('ann', 'm-1', 'hello');
  const events: EventJson[] = [];
  const client = await follow(`/conversations/${conversation_id}`, (event) => events.push(event));
  await source.ingest('ann', 'm-2', 'anyone there?');
  await hub.post('/messages.send', { conversation_id, message: { text: 'yes' } });
  const isDelivered = ({ type, payload }: EventJson): boolean => {
    const { state, from_contact } = (payload.last_message ?? {}) as { state?: string; from_contact?: boolean };
    return type === 'conversation.updated' && state === 'delivered' && from_contact === false;
  };
  await until('the reply is shown as delivered', () => events.some(isDelivered));
  await client.deactivate();
  expect(events.map(({ type }) => type)).toEqual([
    'message.created',
    'conversation.updated',
    'message.created',
    'conversation.updated',
    'metadata.updated',
    'message.updated',
    'conversation.updated',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => events[0]!.seq + n));
});

test('a client changes transport without a gap', async () => {
  const { conversation_id } = await source.ingest('bob', 'b-0');
  for (let n = 1; n <= 20; n++) await source.ingest('bob', `b-${n}`);
  type List = { data: EventJson[]; next_cursor: string };
  const { body } = await hub.post<List>('/events.list', { conversation_id, page_size: 7 });
  const events = [...body.data];
  const client = await follow(
    `/conversations/${conversation_id}`,
    (event) => events.push(event),
    body.data.at(-1)!.cursor,
  );
  for (let n = 21; n <= 30; n++) await source.ingest('bob', `b-${n}`);
  await until('every event arrived', () => events.length >= 62);
  await client.deactivate();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 62 }, (_, n) => n + 1));
});

test('an event is the same on WebSocket and in the feed', async () => {
  const events: EventJson[] = [];
  const client = await follow('/events/message.created', (event) => events.push(event));
  const { conversation_id } = await source.ingest('cleo', 'c-1');
  await until('the event arrived', () => events.length > 0);
  await client.deactivate();
  const { body } = await hub.post<{ data: EventJson[] }>('/events.list', {
    conversation_id,
    types: ['message.created'],
  });
  const { cursor: _, ...live } = events[0]!;
  const { cursor: __, ...listed } = body.data[0]!;
  expect(live).toEqual(listed);
});
