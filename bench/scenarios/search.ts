import { BenchHub, benchSource } from '../hub.ts';
import { benchChannel } from '../requests.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';

/** Of the first page of a list, in ms. */
const mostMs = 20;
const conversations = 100_000;
const perPush = 500;
const pageSize = 20;
const requests = 200;
const warmUps = 5;
const atOnce = 8;
const patienceMs = 600_000;

const firstNames = ['Ann', 'Bob', 'Chloé', 'Dmitri', 'Eve', 'Faisal', 'Grete', 'Hugo', 'Ines', 'Jörg'];
const lastNames = ['Smith', 'Ångström', 'Garcia', 'Nakamura', 'Okafor', 'Petrov', 'Quinn', 'Rossi', 'Schulz', 'Tanaka'];
const things = ['lamp', 'chair', 'table', 'invoice', 'delivery', 'refund', 'voucher', 'cable', 'battery', 'manual'];
const oneOf = (all: readonly string[], n: number): string => all[n % all.length]!;
const secondLine = 'bench-second-line';

/** A push of conversations that differ in all that filters know: half of them are on another channel. */
function push(from: number): object {
  const all = Array.from({ length: perPush }, (_, i) => from + i);
  const messages = all.map((n) => ({
    source_message_id: `search-${n}`,
    source_conversation_id: `person-${n}`,
    source_channel_id: n % 2 === 0 ? benchChannel : secondLine,
    source_sender_id: `person-${n}`,
    content: { text: `Hello, is the ${oneOf(things, n)} number ${n} still to be had?` },
    from_contact: n % 3 === 0,
    sent_at: Date.now(),
  }));
  const metadata = all.map((n) => ({
    namespace: 'conversation',
    source_id: `person-${n}`,
    metadata: {
      contact: { display_name: `${oneOf(firstNames, n)} ${oneOf(lastNames, Math.floor(n / 10))} ${n}` },
      plan: n % 2 === 0 ? 'gold' : 'silver',
      score: n,
      address: { city: `City ${n % 1_000}` },
    },
  }));
  return { messages, metadata };
}

interface Listed {
  data: { id: string; channel: { id: string } }[];
  pagination_data: { total: number };
}

const list = (hub: BenchHub, filters: string): Promise<Listed> =>
  hub.call('conversations.list', { filters, page_size: pageSize });

/** Puts a tag on a few conversations. @returns its id */
async function tagSome(hub: BenchHub): Promise<string> {
  const { id: tag_id } = await hub.call<{ id: string }>('tags.create', { name: 'Urgent', color: 'tag-red' });
  const { data } = await hub.call<Listed>('conversations.list', { page_size: 1_000 });
  for (let from = 0; from < data.length; from += atOnce) {
    const next = data.slice(from, from + atOnce);
    await Promise.all(next.map(({ id }) => hub.call('conversations.tag', { conversation_id: id, tag_id })));
  }
  return tag_id;
}

/** Field or combination → a filter of it. */
async function filtersOf(hub: BenchHub, count: number): Promise<Record<string, string>> {
  const tag = await tagSome(hub);
  const { data } = await list(hub, '');
  const { id, channel } = data[0]!;
  const half = Math.floor(count / 2);
  return {
    'id, exact': `id:${id}`,
    'id, wildcard': `id:${id.slice(0, 3)}*`,
    'channel_id, half': `channel_id:${channel.id}`,
    'source, all': `source:${benchSource}`,
    'source, wildcard': 'source:b*h',
    'display_name, one': `display_name:"${half}"`,
    'display_name, word': 'display_name:chloé',
    'display_name, wildcard': 'display_name:naka*',
    'display_name, substring': 'display_name:*kaf*',
    tag_ids: `tag_ids:${tag}`,
    'unread_count, a third': 'unread_count:[1 TO *]',
    'created_at, all': 'created_at:[2020-01-01 TO *]',
    'metadata, half': 'metadata.plan:gold',
    'metadata, few': 'metadata.address.city:"City 77"',
    'metadata, wildcard': 'metadata.address.city:City*',
    'metadata, range of half': `metadata.score:[${half} TO *]`,
    'text, one': `text:${half}`,
    'text, a tenth': 'text:refund',
    'text, all': 'text:hello',
    'text, phrase': 'text:"the refund number"',
    'text, begun word': 'text:batt*',
    'word without a field': 'garcia',
    combination: 'metadata.plan:gold unread_count:[1 TO *] (text:refund OR display_name:chloé) -tag_ids:*',
    'not, all but few': `NOT metadata.address.city:"City 77"`,
  };
}

/** Waits until the index of messages is built. @returns s */
async function built(hub: BenchHub): Promise<number> {
  const started = performance.now();
  for (;;) {
    const isThere = await list(hub, 'text:hello').then(
      () => true,
      (error: Error) => {
        if (!error.message.includes('being built')) throw error;
        return false;
      },
    );
    const spent = performance.now() - started;
    if (isThere) return spent / 1_000;
    if (spent > patienceMs) throw new Error('the index is not built');
  }
}

/** Asks for a first page again and again. @returns how long each took, and what each cost the hub on average, in ms */
async function measured(hub: BenchHub, filter: string): Promise<{ total: number; took: number[]; cpuMs: number }> {
  for (let n = 0; n < warmUps; n++) await list(hub, filter);
  const took: number[] = [];
  const cpu = hub.cpuSeconds();
  let total = 0;
  for (let n = 0; n < requests; n++) {
    const started = performance.now();
    total = (await list(hub, filter)).pagination_data.total;
    took.push(performance.now() - started);
  }
  const cpuMs = ((hub.cpuSeconds() - cpu) * 1_000) / requests;
  return { total, took: took.sort((a, b) => a - b), cpuMs };
}

/** How long the first page of each kind of filter takes, for the caller. */
export const search: Scenario = {
  name: 'search',
  async run(scale, say) {
    await using hub = await BenchHub.start();
    await hub.call('sources.channels.create', { source_channel_id: secondLine, name: 'Second' }, hub.token);
    const count = conversations / scale.shrink;
    for (let from = 0; from < count; from += perPush) await hub.call('sources.webhook', push(from), hub.token);
    await hub.contactsMade(count);
    say(`${count} conversations; built after ${(await built(hub)).toFixed(1)} s`);
    const figures: Figure[] = [];
    for (const [what, filter] of Object.entries(await filtersOf(hub, count))) {
      const { total, took, cpuMs } = await measured(hub, filter);
      const times = [0.5, 0.99].map((share) => percentile(took, share).toFixed(1));
      say(`${what}: ${total} found, p50 ${times[0]} ms, p99 ${times[1]} ms, processor ${cpuMs.toFixed(1)} ms`);
      const aim = { of: 'measured', most: mostMs } as const;
      figures.push({ what: `${what}, p99`, unit: 'ms', measured: percentile(took, 0.99), aim });
    }
    return figures;
  },
};
