import { describe, expect, it } from 'vitest';
import type { CallTools } from '#src/connectors/calls.ts';
import type { Connector, InboundRoute } from '#src/connectors/connector.ts';
import type { Inbound } from '#src/ingest/items.ts';
import { checks } from './conformance.ts';
import { objectIn } from '#src/connectors/outcome.ts';
import { lettersConnector, secret } from './letters.ts';
import { letters } from './letters-specimen.ts';
import type { Specimen } from './specimen.ts';

const sound = lettersConnector();
const withRoutes = (changes: Partial<InboundRoute>): Partial<Connector> => ({
  routes: sound.routes.map((route) => ({ ...route, ...changes })),
});
/** Deliveries whose calls, or outcomes, are meddled with. */
const calling = (meddle: (tools: CallTools) => CallTools): Partial<Connector> => ({
  deliver: (delivery, tools) => sound.deliver(delivery, meddle(tools)),
});

/** Takes the id of a letter as it is. */
function trusting(update: string): Inbound {
  const [said] = letters.readings[0]!.inbound as [Inbound];
  const { post } = objectIn(update) as { post?: unknown };
  const messages = (Array.isArray(post) ? post : []).map((letter: { id: string } | null) => {
    return { ...said.messages[0]!, id: letter?.id as string };
  });
  return { ...said, messages };
}

/** A mistake that an author could make, and the check that must tell. */
const mistakes: [mistake: string, changes: Partial<Connector>, check: string][] = [
  ['forgets to verify', withRoutes({ verify: () => true }), 'refuses what carries no credential'],
  [
    'verifies something else than the body',
    withRoutes({ verify: ({ headers }) => headers['x-letters-signature'] !== undefined }),
    'refuses a body with any byte changed',
  ],
  [
    'trusts the shape of a body',
    withRoutes({ read: (update) => JSON.parse(update) }),
    'reads nothing of odd bodies, and does not throw',
  ],
  [
    'passes on whatever stands where an id should',
    withRoutes({ read: trusting }),
    'passes nothing on that can not be, however spoilt',
  ],
  [
    'hands a batch on as it is',
    withRoutes({ split: ({ body }) => (body.length === 0 ? [] : ['{"batch":1}', Buffer.from(body).toString()]) }),
    'splits a request into updates that read alike alone',
  ],
  [
    'throws away what it does not know',
    withRoutes({ split: (request) => sound.routes[1]!.split(request).filter((update) => update.includes('post')) }),
    'keeps what it does not know as one update',
  ],
  ['is called like an operation', withRoutes({ path: '/messages.send' }), 'has addresses that the hub has not'],
  ['takes any body', withRoutes({ bodyLimit: Number.POSITIVE_INFINITY }), 'takes bodies of a few MiB at most'],
  ['forgets a route', { routes: sound.routes.slice(1) }, 'has a genuine request for each route, and takes it'],
  ['names the wrong sources', { sources: ['parcels'] }, 'is found for its channels, and for no others'],
  [
    'tries again by itself',
    calling(({ http, now }) => ({
      now,
      http: { send: async (request) => [await http.send(request), await http.send(request)][1]! },
    })),
    'makes one call, to a URL, with the content as it is',
  ],
  [
    'changes the content',
    calling(({ http, now }) => ({
      now,
      http: { send: (request) => http.send({ ...request, body: String(request.body).replace('Dear', 'Hi') }) },
    })),
    'makes one call, to a URL, with the content as it is',
  ],
  [
    'takes a refusal for bad luck',
    {
      async deliver(delivery, tools) {
        const outcome = await sound.deliver(delivery, tools);
        return outcome.kind === 'rejected' ? { kind: 'unreachable', error: outcome.error } : outcome;
      },
    },
    'tells a source that is out of reach from one that refuses',
  ],
  [
    'does not wait when it is told to',
    {
      async deliver(delivery, tools) {
        const outcome = await sound.deliver(delivery, tools);
        return outcome.kind === 'throttled' ? { kind: 'rejected', error: outcome.error } : outcome;
      },
    },
    'waits as long as a source says',
  ],
  [
    'shows its credential',
    { deliver: async () => ({ kind: 'rejected', error: `The key ${secret} was refused.` }) },
    'takes any answer, and never tells a secret',
  ],
  [
    'makes up ids of conversations',
    { starter: { conversationWith: (recipient) => `to-${recipient}` } },
    'calls a conversation that it starts always the same',
  ],
  [
    'says that it is well without having asked',
    { checker: { check: async () => null } },
    'says in a sentence whether it is let in, without a secret',
  ],
  [
    'tells its credential when it is not let in',
    {
      checker: {
        check: async (tools) => ((await sound.checker!.check(tools)) === null ? null : `${secret} is not let in.`),
      },
    },
    'says in a sentence whether it is let in, without a secret',
  ],
];

/** Titles of the checks that a connector does not pass. */
async function failedChecks(connector: Connector, specimen: Specimen): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, run } of checks) {
    try {
      await run(connector, specimen);
    } catch {
      failed.push(title);
    }
  }
  return failed;
}

describe('the conformance suite', () => {
  it('lets a sound connector pass', async () => {
    expect(await failedChecks(letters.factory(), letters)).toEqual([]);
  });

  it.each(mistakes)('catches one that %s', async (_, changes, check) => {
    expect(await failedChecks({ ...sound, ...changes }, letters)).toContain(check);
  });
});
