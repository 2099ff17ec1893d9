import { once } from 'node:events';
import { Client, type IMessage } from '@stomp/stompjs';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../_support/source-client.ts';
import { aCursor, aUuid, chapter, type EventExample, unknownId } from './chapter.ts';

// The specification: the WebSocket event of “Events”; decisions §4 (events.list) and §8.
const spec = chapter();

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.deactivate();
});

const socket = (protocols: string[]): WebSocket =>
  new WebSocket(`${spec.hub.url.replace('http', 'ws')}/ws.communication`, protocols);

/** What arrives at a destination from now on, as it comes. */
async function follow(destination: string, after?: string): Promise<EventExample[]> {
  const events: EventExample[] = [];
  const client = new Client({ webSocketFactory: () => socket(['v12.stomp']), reconnectDelay: 0 });
  open.push(client);
  await new Promise<void>((resolve, reject) => {
    client.onStompError = (frame) => reject(new Error(frame.headers['message']));
    client.onConnect = () => {
      client.watchForReceipt('subscribed', () => resolve());
      const take = ({ body }: IMessage): void => void events.push(JSON.parse(body) as EventExample);
      client.subscribe(destination, take, { receipt: 'subscribed', ...(after !== undefined && { after }) });
    };
    client.activate();
  });
  return events;
}

const typesOf = (events: EventExample[]): string[] => events.map(({ type }) => type);

describe('/ws.communication', () => {
  it.each([
    [['v12.stomp', 'v11.stomp', 'v10.stomp'], 'v12.stomp', '1.2', '1.2,1.1,1.0'],
    [['v11.stomp'], 'v11.stomp', '1.1', '1.1,1.0'],
    [['v10.stomp'], 'v10.stomp', '1.0', '1.0'],
  ])('speaks %j', async (protocols, chosen, version, accepted) => {
    const connection = socket(protocols);
    const connected = await new Promise<string>((resolve, reject) => {
      connection.on('error', reject);
      connection.on('open', () => connection.send(`CONNECT\naccept-version:${accepted}\nhost:hub\n\n\0`));
      connection.on('message', (data) => resolve(String(data)));
    });
    expect(connection.protocol).toBe(chosen);
    expect(connected).toMatch(new RegExp(`^CONNECTED\n(.*\n)*version:${version}\n`));
    connection.terminate();
  });

  it('takes DISCONNECT and then UNSUBSCRIBE', async () => {
    const connection = socket(['v12.stomp']);
    const said: string[] = [];
    connection.on('message', (data) => said.push(String(data).split('\n')[0]!));
    connection.on('open', () => {
      connection.send('CONNECT\naccept-version:1.2\nhost:hub\n\n\0');
      connection.send('SUBSCRIBE\nid:1\ndestination:/events\n\n\0');
      connection.send('DISCONNECT\nreceipt:bye\n\n\0');
      connection.send('UNSUBSCRIBE\nid:1\n\n\0');
    });
    await once(connection, 'close');
    expect(said).toEqual(['CONNECTED', 'RECEIPT']);
  });

  it('offers heart-beats of 30 s', async () => {
    const connection = socket(['v12.stomp']);
    const connected = await new Promise<string>((resolve) => {
      const connect = 'CONNECT\naccept-version:1.2\nhost:hub\nheart-beat:30000,30000\n\n\0';
      connection.on('open', () => connection.send(connect));
      connection.on('message', (data) => resolve(String(data)));
    });
    expect(connected).toContain('\nheart-beat:30000,30000\n');
    connection.terminate();
  });
});

describe('the destinations', () => {
  it('/events has all, each frame one Event', async () => {
    const events = await follow('/events');
    const conversation_id = await spec.conversationOf('ann', 'hello');
    await until('two', () => events.length >= 2);
    expect(events[0]).toEqual({
      ...{ type: 'message.created', subject: { type: 'conversation', id: conversation_id } },
      ...{ payload: expect.any(Object), timestamp: expect.any(Number), seq: 1, cursor: aCursor },
    });
    expect(typesOf(events)).toEqual(expect.arrayContaining(['message.created', 'conversation.updated']));
  });

  it('/events/<type> has one type', async () => {
    const events = await follow('/events/tag.updated');
    await spec.conversationOf('bob', 'hello');
    const { body } = await spec.post('tags.create', { name: 'Urgent', color: 'tag-red' });
    await until('one', () => events.length > 0);
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([['tag.updated', body]]);
  });

  it('/conversations/<id> has one conversation', async () => {
    const conversation_id = await spec.conversationOf('cy', 'hello');
    const events = await follow(`/conversations/${conversation_id}`);
    await spec.conversationOf('dora', 'not this one');
    await spec.conversationOf('cy', 'again');
    await until('two', () => events.length >= 2);
    expect(typesOf(events)).toEqual(['message.created', 'conversation.updated']);
  });

  it.each([
    ['message.created', () => spec.conversationOf('types', 'one')],
    ['conversation.updated', () => spec.conversationOf('types', 'two')],
    ['channel.updated', () => spec.asShop('sources.channels.create', { source_channel_id: 'x', name: 'X' })],
    ['component.updated', () => spec.post('components.install', { name: 'media-resolver' })],
    ['contact.updated', () => spec.post('contacts.create', { display_name: 'Ann' })],
  ])('tell %s', async (type, happen) => {
    const events = await follow(`/events/${type}`);
    await happen();
    await until(type, () => events.length > 0);
    expect(events[0]).toMatchObject({ type, seq: expect.any(Number), cursor: aCursor });
  });
});

describe('metadata.updated', () => {
  it('is emitted when an outbound message fails', async () => {
    const conversation_id = await spec.conversationOf('eve', 'hello');
    const events = await follow('/events/metadata.updated');
    spec.shop.answerWith((_, response) => response.writeHead(400).end('{"error":"Message could not be sent."}'));
    const { body } = await spec.post<{ id: string }>('messages.send', { conversation_id, message: { text: 'Hi' } });
    await until('the failure', () => events.length > 0);
    expect(events[0]).toMatchObject({
      type: 'metadata.updated',
      payload: { subject: 'message', identifier: body.id, metadata: { error: 'Message could not be sent.' } },
    });
  });
});

describe('a cursor', () => {
  it('resumes without a gap, whatever the transport', async () => {
    const conversation_id = await spec.conversationOf('fay', 'one', 'two');
    const [first] = await spec.events({ conversation_id });
    await spec.conversationOf('fay', 'three');
    const events = await follow(`/conversations/${conversation_id}`, first!.cursor);
    await until('the rest', () => events.length >= 5);
    const listed = await spec.post<{ data: EventExample[]; next_cursor: string }>('events.list', {
      ...{ conversation_id, after: first!.cursor },
    });
    const seen = (all: EventExample[]) => all.map(({ type, seq, payload }) => [seq, type, payload]);
    expect(seen(events)).toEqual(seen(listed.body.data));
    expect(events.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6]);
  });

  it('of another hub, or none, is invalid_cursor', async () => {
    const answer = await spec.post('events.list', { after: 'bm9uZQ' });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_cursor' }]);
  });
});

describe('events.list', () => {
  it('answers {data: [Event], next_cursor}', async () => {
    const conversation_id = await spec.conversationOf('gil', 'hello');
    const asked = { conversation_id, types: ['message.created'], page_size: 10 };
    const { status, body } = await spec.post<{ data: EventExample[] }>('events.list', asked);
    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            ...{ type: 'message.created', subject: { type: 'conversation', id: conversation_id }, seq: 1 },
            ...{ timestamp: expect.any(Number), cursor: aCursor },
            payload: { conversation_id, channel_id: aUuid, message: expect.any(Object) },
          },
        ],
        next_cursor: aCursor,
      },
    ]);
    const nothing = await spec.post('events.list', { conversation_id: unknownId });
    expect(nothing.body).toMatchObject({ data: [], next_cursor: aCursor });
  });
});
