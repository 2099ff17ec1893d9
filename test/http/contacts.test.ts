import { describe, expect, it } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { answering, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';

const unknown = '0192f3a4-5b6c-7d8e-9f01-23456789abce';

type Contact = Record<string, unknown> & { id: string };
interface Page {
  data: Contact[];
  pagination_data: { previous_cursor: string | null; next_cursor: string | null; total: number };
}

const create = async (api: TestApi, body: object): Promise<Contact> =>
  (await api.post<Contact>('/contacts.create', body)).body;
const info = async (api: TestApi, body: object): Promise<Contact> =>
  (await api.post<Contact>('/contacts.info', body)).body;

const barbara = {
  ...{ display_name: 'Barbara', avatar_url: 'https://img.example/b.png', title: 'Professor', timezone: '-5' },
  ...{ gender: 'female', locale: 'en_US', organization_name: 'MIT' },
  via: { phone: '+1 555', email: 'b@example.com', other: { handle: 'b' } },
  address: { address_line1: 'Vassar Street', city: 'Cambridge', country: 'US' },
  metadata: { crm: { id: 4711, vip: true } },
};

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

  async function start(): Promise<TestApi> {
    const api = await startApi();
    api.dispatch(answering(200, {}));
    return api;
  }

  it('makes all of them, in their order', async () => {
    await using api = await start();
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
    await using api = await start();
    const answer = await api.post('/contacts.import', body);
    expect(refusalOf(answer)).toEqual([400, code]);
    expect(answer.body.details?.map((detail) => detail.path)).toEqual([path]);
    expect(api.sent).toEqual([]);
  });

  it('makes one import of a repeated request', async () => {
    await using api = await start();
    const key = { 'Idempotency-Key': 'once' };
    const first = await imported(api, [barbara, { title: 'b' }], key);
    await api.post('/contacts.delete', { id: first.body.data[1]!.id });
    const again = await imported(api, [barbara, { title: 'b' }], key);
    expect([again.status, again.body.data]).toEqual([201, first.body.data.slice(0, 1)]);
    expect((await api.post<Page>('/contacts.list')).body.pagination_data.total).toBe(1);
  });

  it('takes more than other operations do', async () => {
    await using api = await start();
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

describe('/contacts.merge', () => {
  const merge = (api: TestApi, source_id: string, destination_id: string, headers = {}) =>
    api.post<Contact>('/contacts.merge', { source_id, destination_id }, headers);

  async function start(): Promise<TestApi> {
    const api = await startApi();
    api.dispatch(answering(200, {}));
    return api;
  }

  it('answers with the contact that both are', async () => {
    await using api = await start();
    const source = await create(api, barbara);
    const destination = await create(api, { display_name: 'B.', via: { fax: '5' } });
    const { status, body } = await merge(api, source.id, destination.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ ...source, ...destination, via: { ...barbara.via, fax: '5' }, merge_history: [source] },
    });
    expect(await info(api, { id: destination.id })).toEqual(body);
    expect(refusalOf(await api.post('/contacts.info', { id: source.id }))).toEqual([404, 'not_found']);
    expect((await merge(api, source.id, destination.id)).body).toEqual(body);
  });

  it('makes one of many at once', async () => {
    await using api = await start();
    const [source, destination] = [await create(api, { title: 'a' }), await create(api, { title: 'b' })];
    const answers = await Promise.all(Array.from({ length: 50 }, () => merge(api, source.id, destination.id)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`))).toEqual(
      new Set([`200 ${destination.id}`]),
    );
    const { data } = (await api.post<Page>('/contacts.list')).body;
    expect(data.map(({ id }) => id)).toEqual([destination.id]);
  });

  it('makes one of two that are merged into each other', async () => {
    await using api = await start();
    const [a, b] = [await create(api, { title: 'a' }), await create(api, { title: 'b' })];
    const answers = await Promise.all([merge(api, a.id, b.id), merge(api, b.id, a.id)]);
    const { data } = (await api.post<Page>('/contacts.list')).body;
    expect(data).toHaveLength(1);
    const done = answers.filter(({ status }) => status === 200);
    // Whoever came after the merge found one of them gone.
    const others = answers.filter(({ status }) => status !== 200).map(({ status }) => status);
    expect(others).toEqual(Array(2 - done.length).fill(404));
    expect(new Set(done.map(({ body }) => body.id))).toEqual(new Set([data[0]!.id]));
  });

  it('repeats its answer for the same key', async () => {
    await using api = await start();
    const [a, b] = [await create(api, { title: 'a' }), await create(api, { title: 'b' })];
    const [first, again] = [
      await merge(api, a.id, b.id, { 'Idempotency-Key': 'm' }),
      await merge(api, a.id, b.id, { 'Idempotency-Key': 'm' }),
    ];
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('refuses what can not be merged', async () => {
    await using api = await start();
    const { id } = await create(api, { title: 'a' });
    expect(refusalOf(await api.post('/contacts.merge', { source_id: id, destination_id: id.toUpperCase() }))).toEqual([
      ...[400, 'invalid_request'],
    ]);
    for (const [source_id, destination_id] of [
      [id, unknown],
      [unknown, id],
    ]) {
      expect(refusalOf(await api.post('/contacts.merge', { source_id, destination_id }))).toEqual([404, 'not_found']);
    }
    expect(await info(api, { id })).toMatchObject({ title: 'a' });
  });
});

describe('/contacts.recent-messages', () => {
  interface Recent {
    [conversation: string]: Page & { source: string };
  }

  /** A contact with conversations on two sources: Ann at the shop, and at the desk. */
  async function start(texts: { shop: string[]; desk: string[] }) {
    const api = await startApi();
    api.dispatch(answering(200, {}));
    const shop = await (await api.addSource('shop')).push('ann', ...texts.shop);
    const desk = await (await api.addSource('desk')).push('ann', ...texts.desk);
    const found = async (id: string) => (await api.post('/contacts.info', { conversation_id: id })).status === 200;
    await until('the contacts', async () => (await found(shop)) && (await found(desk)));
    const ids = { source_id: contactOfConversation(shop), destination_id: contactOfConversation(desk) };
    const contact_id = (await api.post<Contact>('/contacts.merge', ids)).body.id;
    const recent = async (more: object = {}): Promise<Recent> =>
      (await api.post<Recent>('/contacts.recent-messages', { contact_id, ...more })).body;
    return { api, shop, desk, recent, contact_id, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
  }

  const textsOf = ({ data }: Page): string[] => data.map(({ content }) => (content as { text: string }).text);

  it('gives the newest of each conversation', async () => {
    await using hub = await start({ shop: ['1', '2', '3'], desk: ['4'] });
    const { [hub.shop]: shop, [hub.desk]: desk, ...others } = await hub.recent({ page_size: 2 });
    expect(others).toEqual({});
    expect([shop!.source, textsOf(shop!), shop!.pagination_data.total]).toEqual(['shop', ['3', '2'], 3]);
    expect([desk!.source, textsOf(desk!), desk!.pagination_data.next_cursor]).toEqual(['desk', ['4'], null]);
    const cursors = { [hub.shop]: shop!.pagination_data.next_cursor, [hub.desk]: null };
    const next = await hub.recent({ page_size: 2, cursors });
    expect([textsOf(next[hub.shop]!), textsOf(next[hub.desk]!)]).toEqual([['1'], ['4']]);
    const list = { conversation_id: hub.shop, order: 'desc', cursor: cursors[hub.shop] };
    expect(textsOf((await hub.api.post<Page>('/messages.list', list)).body)).toEqual(['1']);
  });

  it('gives those of some sources', async () => {
    await using hub = await start({ shop: ['1'], desk: ['2'] });
    expect(Object.keys(await hub.recent({ include_sources: ['shop', 'nobody'] }))).toEqual([hub.shop]);
    expect(await hub.recent({ include_sources: ['nobody'] })).toEqual({});
    expect(Object.keys(await hub.recent({ include_sources: [] }))).toEqual([]);
  });

  it('has no more than a page of bytes, and leads on', async () => {
    await using hub = await start({ shop: ['s'], desk: ['d'] });
    const sent = ['s', 'd'].flatMap((name) => Array.from({ length: 8 }, (_, n) => `${name}${n}`));
    for (const name of sent) {
      const conversation_id = name.startsWith('s') ? hub.shop : hub.desk;
      await hub.api.post('/messages.send', { conversation_id, message: { text: name + 'x'.repeat(90_000) } });
    }
    const cursors: Record<string, string | null> = {};
    const met: string[] = [];
    for (let rounds = 0; rounds === 0 || Object.values(cursors).some((cursor) => cursor !== null); rounds++) {
      expect(rounds).toBeLessThan(5);
      const recent = await hub.recent({ cursors });
      expect(JSON.stringify(recent).length).toBeLessThan(1_300_000);
      for (const [conversation, page] of Object.entries(recent)) {
        if (rounds === 0 || cursors[conversation] !== null) met.push(...textsOf(page).map((text) => text.slice(0, 2)));
        cursors[conversation] = page.pagination_data.next_cursor;
      }
    }
    expect(met.toSorted()).toEqual([...sent, 's', 'd'].sort());
  });

  it('refuses an unknown contact and a cursor of another list', async () => {
    await using hub = await start({ shop: ['1'], desk: ['2'] });
    const path = '/contacts.recent-messages';
    expect(refusalOf(await hub.api.post(path, { contact_id: unknown }))).toEqual([404, 'not_found']);
    const cursors = { [hub.shop]: 'bm9uZQ' };
    expect(refusalOf(await hub.api.post(path, { contact_id: hub.contact_id, cursors }))).toEqual([
      400,
      'invalid_cursor',
    ]);
  });
});
