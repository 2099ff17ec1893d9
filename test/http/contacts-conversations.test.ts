import { describe, expect, it } from 'vitest';
import { contactOfConversation } from '#actors/ids.ts';
import { type Refusal, refusalOf, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { type Contact, create, info, type Page, startDispatching, unknown } from './contact-support.ts';

describe('/contacts.create with conversations', () => {
  /** A conversation of the shop, and its contact, which it was given. */
  const appear = async (api: TestApi, ...names: string[]): Promise<string[]> => {
    const shop = await api.addSource('shop');
    const conversations = await Promise.all(names.map((name) => shop.push(name, 'hello')));
    for (const conversation_id of conversations) {
      await until('a contact', async () => (await api.post('/contacts.info', { conversation_id })).status === 200);
    }
    return conversations;
  };
  const asked = (api: TestApi, body: object, headers = {}) =>
    api.post<Contact & Refusal>('/contacts.create', body, headers);

  it('has them, and what their contacts were', async () => {
    await using api = await startDispatching();
    const [ann, again] = (await appear(api, 'ann', 'ann again')) as [string, string];
    const before = await info(api, { conversation_id: ann });
    const conversations = { [ann]: 'shop', [again]: 'shop' };
    const { status, body } = await asked(api, { title: 'Dr', conversations: { ...conversations } });
    expect([status, body['conversations'], body['title']]).toEqual([201, conversations, 'Dr']);
    expect(body['merge_history']).toContainEqual(before);
    expect(await info(api, { conversation_id: again })).toEqual(body);
    const { data } = (await api.post<Page>('/contacts.list')).body;
    expect(data.map(({ id }) => id)).toEqual([body.id]);
    expect((await api.post('/contacts.erase', { id: body.id })).body).toMatchObject({ contacts: 3, conversations: 2 });
  });

  it('is enough of a contact, under an id in any case', async () => {
    await using api = await startDispatching();
    const [ann] = (await appear(api, 'ann')) as [string];
    const { status, body } = await asked(api, { conversations: { [ann.toUpperCase()]: 'shop' } });
    expect([status, body['conversations']]).toEqual([201, { [ann]: 'shop' }]);
  });

  it('repeats its answer for the same key', async () => {
    await using api = await startDispatching();
    const [ann] = (await appear(api, 'ann')) as [string];
    const key = { 'Idempotency-Key': 'once' };
    const first = await asked(api, { conversations: { [ann]: 'shop' } }, key);
    const again = await asked(api, { conversations: { [ann]: 'shop' } }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('waits for the contact of one that is new', async () => {
    await using api = await startDispatching();
    const ann = await (await api.addSource('shop')).push('ann', 'hello');
    expect((await asked(api, { conversations: { [ann]: 'shop' } })).body['conversations']).toEqual({ [ann]: 'shop' });
  });

  it('refuses one that is not there, by its name', async () => {
    await using api = await startDispatching();
    const [ann] = (await appear(api, 'ann')) as [string];
    const answer = await asked(api, { title: 'Dr', conversations: { [ann]: 'shop', [unknown]: 'shop' } });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.details).toEqual([
      { path: `conversations.${unknown}`, problem: 'there is no such conversation' },
    ]);
    expect((await info(api, { conversation_id: ann })).id).toBe(contactOfConversation(ann));
  });

  it('refuses what is said to be of another source', async () => {
    await using api = await startDispatching();
    const [ann] = (await appear(api, 'ann')) as [string];
    const answer = await asked(api, { conversations: { [ann]: 'desk' } });
    expect(answer.body.details).toEqual([{ path: `conversations.${ann}`, problem: 'its source is shop' }]);
  });

  it('refuses one of a contact that has others', async () => {
    await using api = await startDispatching();
    const [ann, bob] = (await appear(api, 'ann', 'bob')) as [string, string];
    const both = await create(api, { conversations: { [ann]: 'shop', [bob]: 'shop' } });
    const answer = await asked(api, { conversations: { [bob]: 'shop' } });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error).toContain(both.id);
    expect(await info(api, { conversation_id: bob })).toEqual(both);
  });

  it.each([
    ['deleted', '/contacts.delete', 'its contact was deleted, and it is given no other one'],
    ['erased', '/contacts.erase', 'its person was erased'],
  ])('refuses one whose contact was %s', async (_, path, problem) => {
    await using api = await startDispatching();
    const [ann] = (await appear(api, 'ann')) as [string];
    await api.post(path, { id: contactOfConversation(ann) });
    const answer = await asked(api, { conversations: { [ann]: 'shop' } });
    expect(answer.body.details).toEqual([{ path: `conversations.${ann}`, problem }]);
  });

  it.each([
    ['no id', { ann: 'shop' }, 'conversations.ann'],
    ['no source', { [unknown]: 5 }, `conversations.${unknown}`],
    ['a list', [unknown], 'conversations'],
  ])('refuses %s', async (_, conversations, path) => {
    await using api = await startDispatching();
    const answer = await asked(api, { conversations });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.details?.map((detail) => detail.path)).toEqual([path]);
  });
});
