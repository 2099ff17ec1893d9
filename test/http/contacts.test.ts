import { describe, expect, it } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { answering, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { barbara, type Contact, create, info, type Page, startDispatching, unknown } from './contact-support.ts';

describe('/contacts.create', () => {
  it('answers with the contact, which is there then', async () => {
    await using api = await startApi();
    const { status, body } = await api.post<Contact>('/contacts.create', barbara);
    expect(status).toBe(201);
    const created_at = new Date(api.system.clock.now()).toISOString();
    expect(body).toEqual({ id: body.id, ...barbara, conversations: {}, created_at });
    expect(await info(api, { id: body.id.toUpperCase() })).toEqual(body);
  });

  it.each([
    ['nothing', {}, 'body'],
    ['nothing but what removes', { display_name: '', via: '', title: null, metadata: { a: '' } }, 'body'],
    ['what is no field of a contact', { name: 'Ann' }, 'body'],
    ['a list in via', { via: { phones: { all: ['1'] } } }, 'via.phones.all'],
    ['a list in metadata', { metadata: { a: [] } }, 'metadata.a'],
    ['an avatar that is no address', { avatar_url: 'javascript:alert(1)' }, 'avatar_url'],
    ['a name that is too long', { display_name: 'x'.repeat(256) }, 'display_name'],
    ['a city that is no text', { address: { city: 5 } }, 'address.city'],
    ['metadata that is too large', { metadata: { a: 'x'.repeat(70_000) } }, 'metadata'],
  ])('refuses %s', async (_, body, path) => {
    await using api = await startApi();
    const answer = await api.post('/contacts.create', body);
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.details?.map((detail) => detail.path)).toEqual([path]);
    expect(api.sent).toEqual([]);
  });

  it('refuses via and metadata that are too large together', async () => {
    await using api = await startApi();
    const half = { a: 'x'.repeat(40_000) };
    const answer = await api.post('/contacts.create', { via: half, metadata: half });
    expect(refusalOf(answer)).toEqual([400, 'metadata_too_large']);
  });

  it('makes one contact of a repeated request', async () => {
    await using api = await startApi();
    const key = { 'Idempotency-Key': 'once' };
    const [first, again] = [
      await api.post<Contact>('/contacts.create', barbara, key),
      await api.post<Contact>('/contacts.create', barbara, key),
    ];
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await api.post<Page>('/contacts.list')).body.pagination_data.total).toBe(1);
  });
});

describe('/contacts.import', () => {
  const imported = (api: TestApi, body: object, headers = {}) =>
    api.post<{ data: Contact[] }>('/contacts.import', body, headers);

  it('makes all of them, in their order', async () => {
    await using api = await startDispatching();
    const people = Array.from({ length: 300 }, (_, n) => ({
      ...barbara,
      title: `${n}`,
      metadata: { a: 'x'.repeat(5_000) },
    }));
    const { status, body } = await imported(api, people);
    expect(status).toBe(201);
    expect(body.data.map(({ title }) => title)).toEqual(people.map(({ title }) => title));
    expect(await info(api, { id: body.data[7]!.id })).toEqual(body.data[7]);
    expect((await api.post<Page>('/contacts.list')).body.pagination_data.total).toBe(300);
  });

  it.each([
    ['none', [], 'invalid_request', 'body'],
    ['what is no list', { display_name: 'Ann' }, 'invalid_request', 'body'],
    ['one without a field', [{ title: 'a' }, {}], 'invalid_request', '[1]'],
    ['one with a list', [{ title: 'a' }, { via: { phone: ['1'] } }], 'invalid_request', '[1].via.phone'],
    [
      'one that is too large',
      [{ title: 'a' }, { via: { a: 'x'.repeat(40_000) }, metadata: { a: 'x'.repeat(40_000) } }],
      ...(['metadata_too_large', '[1]'] as const),
    ],
    ['too many', Array(10_001).fill({ title: 'a' }), 'invalid_request', 'body'],
  ])('refuses %s', async (_, body, code, path) => {
    await using api = await startDispatching();
    const answer = await api.post('/contacts.import', body);
    expect(refusalOf(answer)).toEqual([400, code]);
    expect(answer.body.details?.map((detail) => detail.path)).toEqual([path]);
    expect(api.sent).toEqual([]);
  });

  it('makes one import of a repeated request', async () => {
    await using api = await startDispatching();
    const key = { 'Idempotency-Key': 'once' };
    const first = await imported(api, [barbara, { title: 'b' }], key);
    await api.post('/contacts.delete', { id: first.body.data[1]!.id });
    const again = await imported(api, [barbara, { title: 'b' }], key);
    expect([again.status, again.body.data]).toEqual([201, first.body.data.slice(0, 1)]);
    expect((await api.post<Page>('/contacts.list')).body.pagination_data.total).toBe(1);
  });

  it('takes more than other operations do', async () => {
    await using api = await startDispatching();
    const large = Array.from({ length: 60 }, () => ({ metadata: { a: 'x'.repeat(50_000) } }));
    expect((await imported(api, large)).status).toBe(201);
    const tooLarge = await api.post('/contacts.import', ' '.repeat(8 * 1024 * 1024 + 1));
    expect(refusalOf(tooLarge)).toEqual([413, 'body_too_large']);
  });
});

describe('/contacts.update', () => {
  it('changes what is said, removes what is empty', async () => {
    await using api = await startApi();
    const { id, ...before } = await create(api, barbara);
    const said = {
      title: '',
      gender: null,
      address: { city: 'Boston', country: '' },
      metadata: { crm: { vip: '' }, a: 1 },
    };
    expect((await api.post('/contacts.update', { id, ...said })).status).toBe(202);
    const { title: _, ...rest } = before;
    expect(await info(api, { id })).toEqual({
      ...{ id, ...rest, address: { address_line1: 'Vassar Street', city: 'Boston' } },
      metadata: { crm: { id: 4711 }, a: 1 },
    });
  });

  it('keeps what is null, removes a whole object', async () => {
    await using api = await startApi();
    const { id } = await create(api, barbara);
    await api.post('/contacts.update', { id, via: null, address: { city: null, planet: 'Mars' } });
    expect(await info(api, { id })).toMatchObject(barbara);
    await api.post('/contacts.update', { id, via: '', address: '', metadata: '' });
    const { via, address, metadata } = await info(api, { id });
    expect([via, address, metadata]).toEqual([undefined, undefined, undefined]);
  });

  it('refuses a contact that is not there', async () => {
    await using api = await startApi();
    expect(refusalOf(await api.post('/contacts.update', { id: unknown, title: 'x' }))).toEqual([404, 'not_found']);
  });
});

describe('/contacts.info', () => {
  it('finds the contact that a conversation was given', async () => {
    await using api = await startApi();
    api.dispatch(answering(200, {}));
    const shop = await api.addSource('shop');
    const conversation = await shop.push('ann', 'hello', 'again');
    await until(
      'the contact',
      async () => (await api.post('/contacts.info', { conversation_id: conversation })).status === 200,
    );
    const contact = await info(api, { conversation_id: conversation });
    expect(contact).toEqual({
      ...{ id: contactOfConversation(conversation), display_name: `Shop ${conversation.slice(-5)}` },
      ...{ conversations: { [conversation]: 'shop' }, created_at: contact['created_at'] },
    });
    const other = await create(api, barbara);
    expect(await info(api, { id: other.id, conversation_id: conversation })).toEqual(other);
  });

  it.each([
    ['neither', {}, [400, 'invalid_request']],
    ['an unknown contact', { id: unknown }, [404, 'not_found']],
    ['an unknown conversation', { conversation_id: unknown }, [404, 'not_found']],
  ])('refuses %s', async (_, body, refusal) => {
    await using api = await startApi();
    expect(refusalOf(await api.post('/contacts.info', body))).toEqual(refusal);
  });
});

describe('/contacts.delete', () => {
  it('removes the contact, and not its conversation', async () => {
    await using api = await startApi();
    api.dispatch(answering(200, {}));
    const shop = await api.addSource('shop');
    const conversation = await shop.push('ann', 'hello');
    const found = async () => (await api.post('/contacts.info', { conversation_id: conversation })).status;
    await until('the contact', async () => (await found()) === 200);
    const id = contactOfConversation(conversation);
    expect((await api.post('/contacts.delete', { id })).status).toBe(202);
    expect(await found()).toBe(404);
    expect((await api.post<Page>('/contacts.list')).body).toMatchObject({ data: [], pagination_data: { total: 0 } });
    expect((await api.post('/conversations.info', { conversation_id: conversation })).status).toBe(200);
    expect(refusalOf(await api.post('/contacts.delete', { id }))).toEqual([404, 'not_found']);
  });
});

describe('/contacts.list', () => {
  it('is in the order of names, those without one last', async () => {
    await using api = await startApi();
    for (const display_name of ['Zoe', undefined, 'álvaro', '10', 'bob', 'Alva', '-', 'Álvaro']) {
      await create(api, { display_name, title: 'T', metadata: { a: 1 } });
    }
    const { data, pagination_data } = (await api.post<Page>('/contacts.list')).body;
    expect(data.map(({ display_name }) => display_name)).toEqual([
      ...['-', '10', 'Alva', 'álvaro', 'Álvaro', 'bob', 'Zoe', undefined],
    ]);
    expect(Object.keys(data[0]!)).toEqual(['id', 'display_name', 'title', 'created_at']);
    expect(pagination_data).toEqual({ previous_cursor: null, next_cursor: null, total: 8 });
  });

  it('is walked through there and back', async () => {
    await using api = await startApi();
    for (const display_name of ['e', 'd', 'c', 'b', 'a']) await create(api, { display_name });
    const page = async (cursor: string | null): Promise<[string, Page['pagination_data']]> => {
      const { data, pagination_data } = (await api.post<Page>('/contacts.list', { page_size: 2, cursor })).body;
      return [data.map(({ display_name }) => display_name).join(''), pagination_data];
    };
    const [first, { next_cursor: second }] = await page(null);
    const [names, { next_cursor: third, previous_cursor: back }] = await page(second);
    const [last, { next_cursor: end }] = await page(third);
    expect([first, names, last, end]).toEqual(['ab', 'cd', 'e', null]);
    expect((await page(back))[0]).toBe('ab');
  });

  it('refuses a cursor of another list', async () => {
    await using api = await startApi();
    expect(refusalOf(await api.post('/contacts.list', { cursor: 'bm9uZQ' }))).toEqual([400, 'invalid_cursor']);
  });
});
