import { describe, expect, it } from 'vitest';
import { refusalOf, type TestApi } from '../_support/api.ts';
import { barbara, type Contact, create, info, type Page, startDispatching, unknown } from './contact-support.ts';

describe('/contacts.merge', () => {
  const merge = (api: TestApi, source_id: string, destination_id: string, headers = {}) =>
    api.post<Contact>('/contacts.merge', { source_id, destination_id }, headers);

  it('answers with the contact that both are', async () => {
    await using api = await startDispatching();
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
    await using api = await startDispatching();
    const [source, destination] = [await create(api, { title: 'a' }), await create(api, { title: 'b' })];
    const answers = await Promise.all(Array.from({ length: 50 }, () => merge(api, source.id, destination.id)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`))).toEqual(
      new Set([`200 ${destination.id}`]),
    );
    const { data } = (await api.post<Page>('/contacts.list')).body;
    expect(data.map(({ id }) => id)).toEqual([destination.id]);
  });

  it('makes one of two that are merged into each other', async () => {
    await using api = await startDispatching();
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
    await using api = await startDispatching();
    const [a, b] = [await create(api, { title: 'a' }), await create(api, { title: 'b' })];
    const [first, again] = [
      await merge(api, a.id, b.id, { 'Idempotency-Key': 'm' }),
      await merge(api, a.id, b.id, { 'Idempotency-Key': 'm' }),
    ];
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('refuses what can not be merged', async () => {
    await using api = await startDispatching();
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
