import { describe, expect, it } from 'vitest';
import { aUuid, chapter, type Listed, type MessageExample } from './chapter.ts';

// The specification: “Source”, “Source API”; decisions §7.
const spec = chapter();

interface Ingested {
  messages: { source_message_id: string; id: string; conversation_id: string; duplicate: boolean }[];
}

const item = {
  ...{ source_message_id: 'm-1', source_conversation_id: 'ann', source_channel_id: 'line' },
  ...{ source_sender_id: 'ann', content: { text: 'Hello' }, from_contact: true, sent_at: 1_767_225_600_000 },
};
const push = <T = Ingested>(...messages: object[]) => spec.asShop<T>('sources.webhook', { messages });
const refusedBy = (path: string) => ({ code: 'invalid_request', details: [{ path, problem: expect.any(String) }] });

/** The only Message of a conversation. */
const messageIn = async (conversation_id: string): Promise<MessageExample> =>
  (await spec.post<Listed<MessageExample>>('messages.list', { conversation_id })).body.data[0]!;

/** What a conversation shows as its metadata. */
const metadataOf = async (conversation_id: string): Promise<object> =>
  (await spec.post<{ metadata: object }>('conversations.info', { conversation_id })).body.metadata;

describe('a Source', () => {
  const fields = {
    ...{ source_id: 'my-crm', action_endpoint: 'https://crm.example/action' },
    ...{ name: 'My CRM', image_url: 'https://crm.example/logo.png' },
  };

  it('is answered by sources.create with its token', async () => {
    const { status, body } = await spec.post('sources.create', fields);
    expect([status, body]).toEqual([200, { ...fields, token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) }]);
  });

  it('is listed without its token', async () => {
    await spec.post('sources.create', { source_id: 'listed' });
    const { status, body } = await spec.post<{ data: object[] }>('sources.list');
    expect(status).toBe(200);
    expect(body.data).toContainEqual({ source_id: 'listed' });
  });

  it('keeps what sources.update does not name', async () => {
    await spec.post('sources.create', { ...fields, source_id: 'renamed' });
    const { status, body } = await spec.post('sources.update', { source_id: 'renamed', name: 'CRM', image_url: null });
    const { image_url: _, ...kept } = fields;
    expect([status, body]).toEqual([200, { ...kept, source_id: 'renamed', name: 'CRM' }]);
  });

  it('is gone after sources.delete, with its token', async () => {
    const { token } = (await spec.post<{ token: string }>('sources.create', { source_id: 'leaving' })).body;
    expect(await spec.post('sources.delete', { source_id: 'leaving' })).toMatchObject({ status: 202, body: null });
    const refused = await spec.post('sources.channels.list', {}, { Authorization: token });
    expect([refused.status, refused.body]).toMatchObject([401, { code: 'unauthorized' }]);
  });

  it('is unique, and no source of the hub’s own', async () => {
    const create = (source_id: string) => spec.post('sources.create', { source_id });
    expect(await create('shop')).toMatchObject({ status: 409, body: { code: 'source_exists' } });
    for (const reserved of ['pageplatform', 'telco.sms', 'chatplugin', 'bizmaps']) {
      expect(await create(reserved)).toMatchObject({ status: 409, body: { code: 'source_id_reserved' } });
    }
  });
});

describe('the Authorization header of a source', () => {
  it.each(['', 'Bearer '])('has its token behind %j', async (scheme) => {
    const answer = await spec.post('sources.channels.list', {}, { Authorization: scheme + spec.shop.token });
    expect(answer.status).toBe(200);
  });

  it('is needed for sources.channels.* and sources.webhook', async () => {
    for (const operation of ['sources.channels.list', 'sources.webhook']) {
      expect((await spec.post(operation)).status).toBe(401);
      expect((await spec.post(operation, {}, { Authorization: 'Bearer nonsense' })).status).toBe(401);
    }
  });
});

describe('messages of sources.webhook', () => {
  it('are answered with their ids once they are durable', async () => {
    const { status, body } = await push(item);
    expect([status, body]).toEqual([
      200,
      { messages: [{ source_message_id: 'm-1', id: aUuid, conversation_id: aUuid, duplicate: false }] },
    ]);
    const [{ id, conversation_id }] = body.messages as [Ingested['messages'][0]];
    expect(await messageIn(conversation_id)).toEqual({
      ...{ id, content: { text: 'Hello' }, state: 'delivered', delivery_state: 'delivered', from_contact: true },
      ...{ sent_at: '2026-01-01T00:00:00.000Z', source: 'shop', metadata: {}, sender: { id: 'ann' } },
    });
  });

  it('have one id however often they come', async () => {
    const again = { ...item, source_conversation_id: 'twice' };
    const [first] = (await push(again)).body.messages;
    expect((await push(again)).body.messages).toEqual([{ ...first, duplicate: true }]);
  });

  it('may have a plain string as content', async () => {
    const { body } = await push({ ...item, source_conversation_id: 'plain', content: 'Hello' });
    expect((await messageIn(body.messages[0]!.conversation_id)).content).toBe('Hello');
  });

  it('keep the digits of their content', async () => {
    const content = '{"id":9007199254740993,"price":1.10}';
    const whole = JSON.stringify({ messages: [{ ...item, source_conversation_id: 'digits', content: 0 }] });
    const ask = (path: string, body: string) =>
      fetch(`${spec.hub.url}/${path}`, {
        ...{ method: 'POST', body },
        headers: { 'Content-Type': 'application/json', Authorization: spec.shop.token },
      });
    const pushed = await ask('sources.webhook', whole.replace('"content":0', `"content":${content}`));
    const { messages } = (await pushed.json()) as Ingested;
    const listed = await ask('messages.list', JSON.stringify({ conversation_id: messages[0]!.conversation_id }));
    expect(await listed.text()).toContain(`"content":${content}`);
  });

  it('may have an ISO 8601 string as sent_at', async () => {
    const sent_at = '2026-01-01T12:30:00.250Z';
    const { body } = await push({ ...item, source_conversation_id: 'iso', sent_at });
    expect(await messageIn(body.messages[0]!.conversation_id)).toMatchObject({ sent_at });
  });

  it('belong to a connected channel, or none is stored', async () => {
    const others = { source_conversation_id: 'nothing stored' };
    const answer = await push({ ...item, ...others }, { ...item, ...others, source_channel_id: 'nowhere' });
    expect([answer.status, answer.body]).toMatchObject([400, refusedBy('messages[1].source_channel_id')]);
    expect((await push({ ...item, ...others })).body.messages).toMatchObject([{ duplicate: false }]);
  });

  it.each([
    ['epoch seconds', 1_767_225_600, /milliseconds are expected/],
    ['before 2000', '1999-12-31T23:59:59.999Z', /./],
    ['two days ahead', Date.now() + 48 * 60 * 60 * 1_000, /./],
  ])('are refused with a sent_at of %s', async (_, sent_at, problem) => {
    const answer = await push<{ details: { problem: string }[] }>({ ...item, sent_at });
    expect([answer.status, answer.body]).toMatchObject([400, refusedBy('messages[0].sent_at')]);
    expect(answer.body.details[0]!.problem).toMatch(problem);
  });

  it('are 1,000 of one request at most', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => ({ ...item, source_message_id: `many-${n}` }));
    expect((await push(...many)).status).toBe(400);
    expect((await push(...many.slice(1))).body.messages).toHaveLength(1_000);
  });
});

describe('metadata of sources.webhook', () => {
  const say = (metadata: object) => spec.asShop('sources.webhook', { metadata: [metadata] });

  it('names a contact: {contact: {display_name}}', async () => {
    const { body } = await push({ ...item, source_conversation_id: 'named' });
    const metadata = { contact: { display_name: 'Ann Smith' } };
    expect((await say({ namespace: 'conversation', source_id: 'named', metadata })).status).toBe(200);
    const contact = { displayName: 'Ann Smith', display_name: 'Ann Smith' };
    expect(await metadataOf(body.messages[0]!.conversation_id)).toMatchObject({ contact });
  });

  it('is about a message by its id at the source', async () => {
    const { body } = await push({ ...item, source_conversation_id: 'about', source_message_id: 'about-1' });
    await say({ namespace: 'message', source_id: 'about-1', metadata: { seen: true } });
    expect((await messageIn(body.messages[0]!.conversation_id)).metadata).toEqual({ seen: true });
  });

  it('waits for what has not appeared', async () => {
    await say({ namespace: 'conversation', source_id: 'later', metadata: { vip: true } });
    const { body } = await push({ ...item, source_conversation_id: 'later' });
    expect(await metadataOf(body.messages[0]!.conversation_id)).toMatchObject({ vip: true });
  });

  it('has the namespaces conversation and message only', async () => {
    const answer = await say({ namespace: 'channel', source_id: 'line', metadata: {} });
    expect([answer.status, answer.body]).toMatchObject([400, refusedBy('metadata[0].namespace')]);
  });

  it.each(['unread_count', 'state', 'tags', 'isUserTyping', 'user_data', 'suggestions'])(
    'can not write %s, which is the hub’s own',
    async (name) => {
      const answer = await say({ namespace: 'conversation', source_id: 'ann', metadata: { [name]: 'x' } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );
});
