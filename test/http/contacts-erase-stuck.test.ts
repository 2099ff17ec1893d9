import { describe, expect, it } from 'vitest';
import { contactKind } from '#actors/contact/kind.ts';
import { conversationKind } from '#actors/conversation/kind.ts';
import { kinds } from '#actors/kinds.ts';
import type { AnyKind } from '#actors/runtime/kind.ts';
import { answering, type Refusal, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { type Contact, create } from './contact-support.ts';

interface Letter {
  command_id: string;
  type: string;
  actor: { id: string };
}

/** A hub whose handlers of these commands throw while `broken.now`. */
async function start(...types: string[]) {
  const broken = { now: true };
  const handlers = { ...conversationKind.handlers, ...contactKind.handlers } as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const failing = types.map((type) => [
    type,
    (runtime: unknown, body: unknown) => {
      if (broken.now) throw new TypeError('a defect');
      return handlers[type]!(runtime, body);
    },
  ]);
  const isOf = (kind: AnyKind) => failing.filter(([type]) => Object.hasOwn(kind.handlers, type as string));
  const api = await startApi({
    kinds: kinds.map((kind) => ({ ...kind, handlers: { ...kind.handlers, ...Object.fromEntries(isOf(kind)) } })),
    defectsExpected: true,
  });
  api.dispatch(answering(200, {}));
  return { api, broken };
}

const erase = (api: TestApi, id: string) => api.post<Record<string, number> & Refusal>('/contacts.erase', { id });

async function written(api: TestApi): Promise<Contact> {
  const conversation = await (await api.addSource('shop')).push('ann', 'hello');
  const find = () => api.post<Contact>('/contacts.info', { conversation_id: conversation });
  await until('the contact', async () => (await find()).status === 200);
  return (await find()).body;
}

const letters = async (api: TestApi): Promise<Letter[]> =>
  (await api.post<{ data: Letter[] }>('/dead-letters.list', { redriven: false })).body.data;

describe('an erasure with a step that fails', () => {
  it.each(['conversation.erase', 'conversation.erase-messages', 'contact.part-erased', 'contact.erase-versions'])(
    'goes on when it is asked for again: %s',
    async (type) => {
      const { api, broken } = await start(type);
      await using _ = api;
      const { id } = await written(api);
      const first = await erase(api, id);
      expect(refusalOf(first)).toEqual([500, 'internal']);
      const [letter] = (await letters(api)).toReversed();
      expect([letter!.type, first.body.error.includes(letter!.command_id)]).toEqual([type, true]);
      // As long as the defect is there it says the same.
      expect(refusalOf(await erase(api, id))).toEqual([500, 'internal']);
      broken.now = false;
      expect(await erase(api, id)).toMatchObject({ status: 200, body: { contacts: 1, conversations: 1, messages: 1 } });
      expect(await letters(api)).toEqual([]);
    },
  );

  it('is told of where a contact is erased as part of another', async () => {
    const { api, broken } = await start('conversation.erase-turns');
    await using _ = api;
    const ann = await written(api);
    const other = await create(api, { title: 'Dr' });
    await api.post('/contacts.merge', { source_id: ann.id, destination_id: other.id });
    expect(refusalOf(await erase(api, other.id))).toEqual([500, 'internal']);
    broken.now = false;
    expect(await erase(api, other.id)).toMatchObject({ status: 200, body: { contacts: 2, conversations: 1 } });
  });

  it('is nobody else’s', async () => {
    const { api } = await start('conversation.erase-messages');
    await using _ = api;
    expect(refusalOf(await erase(api, (await written(api)).id))).toEqual([500, 'internal']);
    expect((await erase(api, (await create(api, { title: 'Dr' })).id)).status).toBe(200);
  });
});
