import { describe, expect, it } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { until } from '../../_support/source-client.ts';
import { aCursor, aTime, aUuid, chapter, type Listed, type MessageExample, unknownId } from './chapter.ts';

// The specification: “Contact”, “Endpoints / Contacts”; decisions §10.
const spec = chapter();

interface Contact {
  id: string;
  conversations: Record<string, string>;
  [field: string]: unknown;
}

/** Every field that the specification lists for a request. */
const barbara = {
  ...{ display_name: 'Barbara Liskov', avatar_url: 'https://example.org/barbara.png', title: 'Professor' },
  ...{ timezone: '-5', gender: 'female', locale: 'en_US', organization_name: 'MIT' },
  via: { phone: '+1 555 0100', email: 'barbara@example.org', handle: 'barbara' },
  address: {
    ...{ organization_name: 'MIT', address_line1: 'Massachusetts Ave', address_line2: '77', postcode: '02139' },
    ...{ city: 'Cambridge', state: 'Massachusetts', country: 'United States' },
  },
  metadata: { pageplatform: { psid: '1234', page_id: '5678' }, vip: true },
};

const create = async (fields: object): Promise<Contact> => (await spec.post<Contact>('contacts.create', fields)).body;
const info = async (asked: object): Promise<Contact> => (await spec.post<Contact>('contacts.info', asked)).body;

/** The contact that a conversation was given. */
async function contactOf(conversation_id: string): Promise<Contact> {
  await until('the contact', async () => (await spec.post('contacts.info', { conversation_id })).status === 200);
  return info({ conversation_id });
}

describe('contacts.create', () => {
  it('answers 201 with the Contact', async () => {
    const { status, body } = await spec.post<Contact>('contacts.create', barbara);
    expect([status, body]).toEqual([201, { id: aUuid, ...barbara, conversations: {}, created_at: aTime }]);
    expect(await info({ id: body.id })).toEqual(body);
  });

  it('refuses an empty payload', async () => {
    const answer = await spec.post('contacts.create', {});
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  it.each([
    [{ via: { phone: ['1'] } }, 'via.phone'],
    [{ metadata: { a: { b: [] } } }, 'metadata.a.b'],
  ])('prohibits arrays: %j', async (fields, path) => {
    const answer = await spec.post('contacts.create', fields);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }]);
  });
});

describe('contacts.import', () => {
  it('answers 201 {data: [contact]}', async () => {
    const { status, body } = await spec.post<{ data: Contact[] }>('contacts.import', [barbara, { title: 'Dean' }]);
    const made = { id: aUuid, conversations: {}, created_at: aTime };
    expect([status, body]).toEqual([
      201,
      {
        data: [
          { ...barbara, ...made },
          { title: 'Dean', ...made },
        ],
      },
    ]);
  });
});

describe('contacts.list', () => {
  it('shows id, display_name, title and created_at', async () => {
    await create({ ...barbara, display_name: 'AA first' });
    const { body } = await spec.post<Listed<Contact>>('contacts.list', { page_size: 1 });
    expect(body).toEqual({
      data: [{ id: aUuid, display_name: 'AA first', title: 'Professor', created_at: aTime }],
      pagination_data: { previous_cursor: null, next_cursor: aCursor, total: expect.any(Number) },
    });
  });

  it('is in the order of names, those without one last', async () => {
    for (const display_name of ['ab', 'Ác', 'AD', '']) await create({ display_name, title: 'sorted' });
    const { body } = await spec.post<Listed<Contact>>('contacts.list', { page_size: 1_000 });
    const names = body.data.filter(({ title }) => title === 'sorted').map(({ display_name }) => display_name);
    expect(names).toEqual(['ab', 'Ác', 'AD', undefined]);
  });
});

describe('contacts.info', () => {
  it('finds by id or conversation_id, the id wins', async () => {
    const { id } = await create(barbara);
    const conversation_id = await spec.conversationOf('info', 'hello');
    const other = await contactOf(conversation_id);
    expect((await info({ id })).id).toBe(id);
    expect((await info({ conversation_id })).id).toBe(other.id);
    expect((await info({ id, conversation_id })).id).toBe(id);
    expect((await spec.post('contacts.info', {})).status).toBe(400);
    expect((await spec.post('contacts.info', { id: unknownId })).status).toBe(404);
  });
});

describe('the contact of a conversation', () => {
  it('has exactly one linked conversation: id → source', async () => {
    const conversation_id = await spec.conversationOf('ann', 'hello', 'again');
    const name = { contact: { display_name: 'Ann Smith', avatar_url: 'https://example.org/ann.png' } };
    await spec.asShop('sources.webhook', {
      metadata: [{ namespace: 'conversation', source_id: 'bob', metadata: name }],
    });
    const bob = await spec.conversationOf('bob', 'hello');
    expect(await contactOf(conversation_id)).toEqual({
      ...{ id: contactOfConversation(conversation_id), display_name: `Shop ${conversation_id.slice(-5)}` },
      ...{ conversations: { [conversation_id]: 'shop' }, created_at: aTime },
    });
    expect(await contactOf(bob)).toMatchObject({ ...name.contact, conversations: { [bob]: 'shop' } });
  });
});

describe('contacts.update', () => {
  it('answers 202; an empty string removes a field', async () => {
    const { id, ...before } = await create(barbara);
    const said = { id, title: '', address: { city: 'Boston', address_line2: '' } };
    expect(await spec.post('contacts.update', said)).toMatchObject({ status: 202, body: null });
    const { title: _, ...kept } = before;
    const { address_line2: __, ...place } = { ...barbara.address, city: 'Boston' };
    expect(await info({ id })).toEqual({ id, ...kept, address: place });
  });
});

describe('contacts.merge', () => {
  it('copies what the destination lacks, with merge_history', async () => {
    const conversation_id = await spec.conversationOf('merged', 'hello');
    const source = await contactOf(conversation_id);
    await spec.post('contacts.update', { ...barbara, id: source.id });
    const before = await info({ id: source.id });
    const destination = await create({ display_name: 'B. Liskov', via: { email: 'b@example.org' } });
    const ids = { source_id: source.id, destination_id: destination.id };
    const { status, body } = await spec.post<Contact>('contacts.merge', ids);
    expect([status, body]).toEqual([
      200,
      {
        ...{ ...barbara, id: destination.id, display_name: 'B. Liskov', created_at: destination['created_at'] },
        via: { ...barbara.via, email: 'b@example.org' },
        ...{ conversations: { [conversation_id]: 'shop' }, merge_history: [before] },
      },
    ]);
    expect((await spec.post('contacts.info', { id: source.id })).status).toBe(404);
    expect(await info({ conversation_id })).toEqual(body);
  });

  it('refuses to merge a contact into itself', async () => {
    const { id } = await create({ title: 'alone' });
    expect((await spec.post('contacts.merge', { source_id: id, destination_id: id })).status).toBe(400);
  });
});

describe('contacts.recent-messages', () => {
  type Recent = Record<string, Listed<MessageExample> & { source: string }>;

  it('answers {<id>: {source, data, pagination_data}}', async () => {
    const conversation_id = await spec.conversationOf('recent', 'one', 'two', 'three');
    const { id: contact_id } = await contactOf(conversation_id);
    const ask = async (more: object): Promise<Recent> =>
      (await spec.post<Recent>('contacts.recent-messages', { contact_id, page_size: 2, ...more })).body;
    const first = await ask({ include_sources: ['shop', 'telco.sms'] });
    expect(first).toEqual({
      [conversation_id]: {
        source: 'shop',
        data: [expect.objectContaining({ content: { text: 'three' } }), expect.anything()],
        pagination_data: { previous_cursor: null, next_cursor: aCursor, total: 3 },
      },
    });
    const cursors = { [conversation_id]: first[conversation_id]!.pagination_data.next_cursor };
    expect((await ask({ cursors }))[conversation_id]!.data).toMatchObject([{ content: { text: 'one' } }]);
    expect(await ask({ include_sources: ['telco.sms'] })).toEqual({});
  });
});

describe('contacts.delete', () => {
  it('answers 202; conversations and messages stay', async () => {
    const conversation_id = await spec.conversationOf('deleted', 'hello');
    const { id } = await contactOf(conversation_id);
    expect(await spec.post('contacts.delete', { id })).toMatchObject({ status: 202, body: null });
    expect((await spec.post('contacts.info', { id })).status).toBe(404);
    expect((await spec.post('messages.list', { conversation_id })).body).toMatchObject({ data: [{}] });
  });
});

describe('contact.updated', () => {
  it('tells of what was made, changed and deleted', async () => {
    const made = await create({ title: 'Dean' });
    const { id } = made;
    await spec.post('contacts.update', { id, title: 'Provost' });
    await spec.post('contacts.delete', { id });
    const events = (await spec.events({ types: ['contact.updated'] })).filter(({ subject }) => subject.id === id);
    expect(events.map(({ payload, seq }) => [seq, payload])).toEqual([
      [1, made],
      [2, { ...made, title: 'Provost' }],
      [3, { id, deleted: true }],
    ]);
  });
});
