import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clause } from '#actors/filter.ts';
import type { ConversationReader } from '#actors/conversation/reader.ts';
import type { PageKey } from '#actors/store/page.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';

const contacts = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Second 0 of the conversations: they lie ten seconds from each other. */
const began = Date.UTC(2026, 0, 1);
let said = 0;

/** A contact writes at a second, whenever that is heard. */
async function say(system: ActorSystem, contact: string, second: number): Promise<void> {
  const body = ingestOf(contact, ['hi'], `${contact}-${said++}`);
  const messages = body.messages.map((message) => ({ ...message, sentAt: began + second * 1_000 }));
  await system.commands().send('conversation', conversationOf(contact), 'messages.ingest', { ...body, messages });
}

/** Conversations a, b, c …, each with one message, ten seconds younger than the one before. */
async function started(shards: number) {
  const system = new ActorSystem({ shards });
  await connectTestChannel(system.commands());
  for (const [n, contact] of contacts.entries()) await say(system, contact, n * 10);
  const reader = system.reader();
  return {
    system,
    list: reader.conversations,
    async [Symbol.asyncDispose]() {
      reader.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

/** What all that is tried here is asked with. */
let filter: Clause | null = null;

const contactOf = new Map([...contacts, 'new'].map((contact) => [conversationOf(contact), contact]));

interface Walked {
  contacts: string;
  before: PageKey | null;
  after: PageKey | null;
}

function pageOf(list: ConversationReader, limit: number, key: PageKey | null, direction: 'after' | 'before'): Walked {
  const { items, before, after } = list.page({ limit, from: key && { key, direction } }, filter);
  const ids = items.map(({ text }) => (JSON.parse(text) as { id: string }).id);
  return { contacts: ids.map((id) => contactOf.get(id)).join(''), before, after };
}

/** Every page from the start; `between` is done after each. */
async function walk(
  list: ConversationReader,
  limit: number,
  between: (n: number) => Promise<unknown>,
): Promise<Walked[]> {
  const pages: Walked[] = [pageOf(list, limit, null, 'after')];
  for (let after = pages[0]!.after; after !== null && pages.length < 20; after = pages.at(-1)!.after) {
    await between(pages.length);
    pages.push(pageOf(list, limit, after, 'after'));
  }
  return pages;
}

const textOf = (pages: Walked[]): string => pages.map((page) => page.contacts).join(' ');

test.each([1, 4])('who moves to the front is met once, with %i shards', async (shards) => {
  await using hub = await started(shards);
  const pages = await walk(hub.list, 2, async (n) => {
    // Before they are met, after they were, and while they are being looked at.
    for (const [i, contact] of ['a', 'f', 'c'].entries()) await say(hub.system, contact, 100 * n + i);
  });
  expect(textOf(pages)).toBe('fe dc ba');
  expect(textOf(await walk(hub.list, 6, async () => {}))).toBe('cfaedb');
});

describe.each<[string, Clause | null]>([
  ['without a filter', null],
  ['with a filter', { kind: 'all', clauses: [] }],
])('a walk %s', (_, asked) => {
  beforeEach(() => {
    filter = asked;
  });

  test('who moves to where the walk has just been is met once', async () => {
    await using hub = await started(1);
    const pages = await walk(hub.list, 2, async (n) => {
      // A message that was sent before those that were met, and is heard of only now.
      if (n === 1) await say(hub.system, 'a', 45);
      if (n === 2) await say(hub.system, 'b', 35);
    });
    expect(textOf(pages)).toBe('fe dc ba');
  });

  test('who moves ahead within what is still to come is met once', async () => {
    await using hub = await started(1);
    const pages = await walk(hub.list, 2, async (n) => {
      if (n === 1) await say(hub.system, 'a', 25);
      if (n === 2) await say(hub.system, 'a', 100);
    });
    expect(textOf(pages)).toBe('fe dc ba');
  });

  test('a message from before changes no place', async () => {
    await using hub = await started(1);
    const pages = await walk(hub.list, 1, async (n) => {
      for (const contact of contacts) await say(hub.system, contact, -n);
    });
    expect(textOf(pages)).toBe('f e d c b a');
  });

  test('who is new comes with the next walk', async () => {
    await using hub = await started(4);
    const pages = await walk(hub.list, 3, () => say(hub.system, 'new', 15));
    expect(textOf(pages)).toBe('fed cba');
    expect(textOf(await walk(hub.list, 7, async () => {}))).toBe('fedcnewba');
  });

  test('the way back is the way there, whatever happens', async () => {
    await using hub = await started(1);
    const pages = await walk(hub.list, 2, (n) => say(hub.system, 'a', 100 + n));
    const back: Walked[] = [];
    for (let before = pages.at(-1)!.before; before !== null; before = back.at(-1)!.before) {
      await say(hub.system, 'd', 200 + back.length);
      back.push(pageOf(hub.list, 2, before, 'before'));
    }
    expect(textOf([...pages.slice(0, -1).reverse()])).toBe(textOf(back));
  });

  const step = fc.tuple(fc.constantFrom(...contacts, 'new'), fc.integer({ min: -5, max: 80 }));

  test('each is met once, in its place, whatever is heard meanwhile', async () => {
    const law = async (shards: number, limit: number, steps: (readonly [string, number])[][]) => {
      await using hub = await started(shards);
      const pages = await walk(hub.list, limit, async (n) => {
        for (const [contact, second] of steps[n - 1] ?? []) await say(hub.system, contact, second);
      });
      expect(pages.map((page) => page.contacts).join('')).toBe('fedcba');
    };
    const steps = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(fc.asyncProperty(fc.constantFrom(1, 3), fc.integer({ min: 1, max: 4 }), steps, law), {
      numRuns: 40,
    });
  }, 20_000);
});
