import type { BenchHub } from './hub.ts';
import type { RequestTemplate } from './load/options.ts';

/** A source that misuses its token: where it is, and what it may call. */
export interface Attacker {
  hub: BenchHub;
  token: string;
}

/** One way to make the hub work: what has to be there before, and the request that is repeated. */
export interface Attack {
  what: string;
  prepare(attacker: Attacker): Promise<RequestTemplate>;
}

const line = 'attacker-line';
/** A little less than what a subject may have, in as many keys: they take longest to read and write. */
const keys = 5_000;
const worst = {
  ...Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, n])),
  // One number whose digits are kept makes all of it slow to parse.
  exact: JSON.rawJSON('1.10'),
};
/** Conversations with as much metadata as they may have. */
const targets = Array.from({ length: 200 }, (_, n) => `target-${String(n).padStart(3, '0')}`);
/** As many of them as one request may say something about. */
const targetsAtOnce = 8;
const largestBatch = 1_000;
const manyChannels = 200;
const mostTerms = 32;

const message = (conversation: string, content: string): string =>
  `{"source_message_id":"{n}","source_conversation_id":"${conversation}","source_channel_id":"${line}",` +
  `"source_sender_id":"a","content":${content},"from_contact":true,"sent_at":{now}}`;

const push = (token: string, field: string, item: string, itemsPerRequest: number): RequestTemplate => ({
  path: '/sources.webhook',
  headers: { Authorization: `Bearer ${token}` },
  body: { head: `{"${field}":[`, item, separator: ',', tail: ']}' },
  itemsPerRequest,
  values: targets,
  pick: 'in-turn',
});

/** Makes the targets. */
async function fillTargets({ hub, token }: Attacker): Promise<void> {
  for (const target of targets) {
    const item = message(target, '{}').replace('{n}', target).replace('{now}', String(Date.now()));
    const metadata = [{ namespace: 'conversation', source_id: target, metadata: { worst } }];
    await hub.call('sources.webhook', { messages: [JSON.parse(item)], metadata }, token);
  }
}

const body = (path: string, item: object, token?: string): RequestTemplate => ({
  path,
  headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  body: { head: '', item: JSON.stringify(item), separator: '', tail: '' },
  itemsPerRequest: 1,
  values: [''],
  pick: 'in-turn',
});

/** What is worst among what is allowed. */
export const attacks: readonly Attack[] = [
  {
    what: 'small changes of large metadata',
    async prepare(attacker) {
      await fillTargets(attacker);
      const item = '{"namespace":"conversation","source_id":"{value}","metadata":{"n":"{n}"}}';
      return push(attacker.token, 'metadata', item, targetsAtOnce);
    },
  },
  {
    what: 'messages for conversations with large metadata',
    async prepare(attacker) {
      await fillTargets(attacker);
      return push(attacker.token, 'messages', message('{value}', '{}'), targets.length);
    },
  },
  {
    what: 'batches of 1,000 new conversations',
    prepare: async ({ token }) => push(token, 'messages', message('{n}', '{}'), largestBatch),
  },
  {
    what: 'single messages for one conversation',
    prepare: async ({ token }) => push(token, 'messages', message('one', '{}'), 1),
  },
  {
    what: 'filters that scan',
    async prepare() {
      const filters = Array<string>(mostTerms).fill('metadata.contact.nothing:*x*').join(' OR ');
      return body('/conversations.list', { filters, page_size: 1 });
    },
  },
  {
    what: 'lists of channels with large metadata',
    async prepare({ hub, token }) {
      for (let n = 0; n < manyChannels; n++) {
        await hub.call(
          'sources.channels.create',
          { source_channel_id: `large-${n}`, name: 'x', metadata: { worst } },
          token,
        );
      }
      return body('/sources.channels.list', {}, token);
    },
  },
];

/** Registers the source that attacks, with a connected channel. */
export async function attackerOf(hub: BenchHub): Promise<Attacker> {
  const { token } = await hub.call<{ token: string }>('sources.create', { source_id: 'attacker' });
  await hub.call('sources.channels.create', { source_channel_id: line, name: 'x' }, token);
  return { hub, token };
}
