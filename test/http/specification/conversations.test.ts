import { beforeAll, describe, expect, it } from 'vitest';
import { aTime, aUuid, chapter, type Listed } from './chapter.ts';

// The specification: “Conversation”; decisions §4 and §5.
const spec = chapter();

interface Conversation {
  id: string;
  unread_count: number;
  metadata: Record<string, unknown> & { contact: object };
}

const info = async (conversation_id: string): Promise<Conversation> =>
  (await spec.post<Conversation>('conversations.info', { conversation_id })).body;
const done = { status: 204, body: null };

describe('a Conversation', () => {
  it('has its channel, metadata and last_message', async () => {
    const id = await spec.conversationOf('ann', 'one', 'two');
    const conversation = await info(id);
    const display_name = `Shop ${id.slice(-5)}`;
    const message = { id: aUuid, content: { text: 'two' }, state: 'delivered', delivery_state: 'delivered' };
    expect(conversation).toEqual({
      ...{ id, created_at: aTime, unread_count: 2 },
      channel: {
        ...{ id: await spec.channelId(), source: 'shop', source_channel_id: 'line', source_id: 'shop' },
        ...{ metadata: { name: 'Line' }, connected: true },
      },
      metadata: { contact: { displayName: display_name, display_name }, unread_count: 2 },
      last_message: {
        ...{ ...message, from_contact: true, sent_at: aTime, source: 'shop', metadata: {}, sender: { id: 'ann' } },
      },
    });
  });

  it('is told as conversation.updated, with a payload of its own', async () => {
    const id = await spec.conversationOf('bob', 'one');
    const told = (await spec.events({ conversation_id: id, types: ['conversation.updated'] })).at(-1)!;
    const display_name = `Shop ${id.slice(-5)}`;
    const message = { id: aUuid, content: { text: 'one' }, state: 'delivered', delivery_state: 'delivered' };
    expect(told.payload).toEqual({
      ...{ id, created_at: aTime, channel_id: await spec.channelId() },
      metadata: { contact: { displayName: display_name, display_name }, unread_count: 1 },
      last_message: { ...message, from_contact: true, sent_at: aTime, source: 'shop', sender: { id: 'bob' } },
    });
  });
});

describe('conversations.list', () => {
  it('has the newest message first', async () => {
    const older = await spec.conversationOf('older', 'one');
    const newer = await spec.conversationOf('newer', 'one');
    const { body } = await spec.post<Listed<Conversation>>('conversations.list');
    expect(body.data.slice(0, 2).map(({ id }) => id)).toEqual([newer, older]);
    expect(body.data[0]).toEqual(await info(newer));
  });
});

describe('what agents do with a conversation', () => {
  it('mark-read leaves nothing unread', async () => {
    const conversation_id = await spec.conversationOf('read', 'one', 'two');
    expect(await spec.post('conversations.mark-read', { conversation_id })).toMatchObject(done);
    expect(await info(conversation_id)).toMatchObject({ unread_count: 0, metadata: { unread_count: 0 } });
  });

  it('an agent’s message changes nothing of what is unread', async () => {
    const conversation_id = await spec.conversationOf('answered', 'one');
    await spec.post('messages.send', { conversation_id, message: { text: 'yes' } });
    expect((await info(conversation_id)).unread_count).toBe(1);
  });

  it.each([
    ['conversations.set-state', 'conversations.remove-state'],
    ['conversations.setState', 'conversations.removeState'],
  ])('%s and %s: OPEN, CLOSED', async (set, remove) => {
    const conversation_id = await spec.conversationOf('stateful', 'one');
    for (const state of ['OPEN', 'CLOSED']) {
      expect(await spec.post(set, { conversation_id, state })).toMatchObject(done);
      expect((await info(conversation_id)).metadata).toMatchObject({ state });
    }
    expect(await spec.post(remove, { conversation_id })).toMatchObject(done);
    expect((await info(conversation_id)).metadata).not.toHaveProperty('state');
  });

  it.each(['conversations.update-contact', 'conversations.updateContact'])('%s names the contact', async (name) => {
    const conversation_id = await spec.conversationOf(name, 'one');
    expect(await spec.post(name, { conversation_id, display_name: 'Jane Doe' })).toMatchObject(done);
    const contact = { displayName: 'Jane Doe', display_name: 'Jane Doe' };
    expect((await info(conversation_id)).metadata.contact).toEqual(contact);
  });

  it('tag and untag: tags.<tag id> of the metadata', async () => {
    const conversation_id = await spec.conversationOf('tagged', 'one');
    const tag = { name: 'Urgent', color: 'tag-red' };
    const { body } = await spec.post<{ id: string }>('tags.create', tag);
    const put = (verb: string, tag_id = body.id) => spec.post(`conversations.${verb}`, { conversation_id, tag_id });
    expect(await put('tag')).toMatchObject(done);
    expect((await info(conversation_id)).metadata['tags']).toEqual({ [body.id]: expect.anything() });
    expect(await put('untag')).toMatchObject(done);
    expect((await info(conversation_id)).metadata).not.toHaveProperty('tags');
    expect(await put('tag', conversation_id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('filters', () => {
  let ids: Record<string, string>;
  let tag: string;

  beforeAll(async () => {
    ids = {
      jane: await spec.conversationOf('jane', 'the red bicycle'),
      joe: await spec.conversationOf('joe', 'a', 'b'),
    };
    tag = (await spec.post<{ id: string }>('tags.create', { name: 'Vip', color: 'tag-blue' })).body.id;
    await spec.post('conversations.update-contact', { conversation_id: ids['jane'], display_name: 'Jane Roe' });
    await spec.post('conversations.update-contact', { conversation_id: ids['joe'], display_name: 'Joe Roe' });
    await spec.post('conversations.tag', { conversation_id: ids['joe'], tag_id: tag });
    const data = { city: 'Kiel', score: 7 };
    await spec.post('metadata.upsert', { subject: 'conversation', id: ids['jane'], data });
  });

  /** Which of the two a filter leaves. */
  async function left(filters: string): Promise<string> {
    const { body } = await spec.post<Listed>('conversations.list', { filters, page_size: 1_000 });
    const found = body.data.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id));
    return found
      .filter((name) => name !== undefined)
      .toSorted()
      .join(' ');
  }

  it.each([
    ['id:JANE', 'jane'],
    ['channel_id:CHANNEL AND display_name:roe', 'jane joe'],
    ['source:shop AND display_name:"jane roe"', 'jane'],
    ['display_name:JANE', 'jane'],
    ['display_name:*Jane Roe*', 'jane'],
    ['tag_ids:TAG', 'joe'],
    ['display_name:roe AND unread_count:2', 'joe'],
    ['display_name:roe unread_count:[2 TO *]', 'joe'],
    ['display_name:roe AND unread_count:{1 TO 2]', 'joe'],
    ['display_name:roe AND created_at:[2020-01-01 TO *]', 'jane joe'],
    ['display_name:roe AND created_at:[* TO 1577836800000]', ''],
    ['metadata.user_data.city:Kiel', 'jane'],
    ['metadata.user_data.score:[5 TO 10]', 'jane'],
    ['text:bicycle', 'jane'],
    ['text:"red bicycle"', 'jane'],
    ['text:bicy*', 'jane'],
    ['bicycle', 'jane'],
    ['display_name:roe AND NOT tag_ids:TAG', 'jane'],
    ['display_name:roe -tag_ids:TAG', 'jane'],
    ['display_name:roe !tag_ids:TAG', 'jane'],
    ['(text:bicycle OR tag_ids:TAG) && display_name:roe', 'jane joe'],
    ['text:bicycle || tag_ids:TAG', 'jane joe'],
    ['*:*', 'jane joe'],
  ])('%s leaves %j', async (filters, wanted) => {
    const channel = await spec.channelId();
    const asked = filters.replace('JANE', (word) => (filters.startsWith('id:') ? ids['jane']! : word));
    expect(await left(asked.replaceAll('TAG', tag).replace('CHANNEL', channel))).toBe(wanted);
  });

  it.each(['source:', '(a', 'colour:red', 'display_name:J?ne', 'a~', 'a^2', '/a/', 'unread_count:many'])(
    '%s is refused with its position',
    async (filters) => {
      const answer = await spec.post('conversations.list', { filters });
      const problem = expect.stringMatching(/ at position \d+$/);
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_filter', details: [{ problem }] }]);
    },
  );

  it('have at most 32 terms', async () => {
    const filters = 'a '.repeat(33);
    expect((await spec.post('conversations.list', { filters })).body).toMatchObject({ code: 'invalid_filter' });
    expect((await spec.post('conversations.list', { filters: 'a '.repeat(32) })).status).toBe(200);
  });
});
