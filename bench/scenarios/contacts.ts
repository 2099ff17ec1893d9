import { BenchHub } from '../hub.ts';
import type { Figure, Scale, Scenario } from '../scenario.ts';
import { alternate } from '../statistics.ts';
import { saturate } from './ingest.ts';

const leastOfIngest = 0.95;
const mostImportMs = 2_000;
const mostPageMs = 20;
const contactsOfImport = 10_000;
const contacts = 100_000;
const pages = 1_000;
/** Those that the load walks through. */
const conversations = 1_000;

interface Listed {
  pagination_data: { next_cursor: string | null; total: number };
}

/** As many contacts as one import takes; names in no order. */
const people = (from: number): object[] =>
  Array.from({ length: contactsOfImport }, (_, n) => ({
    display_name: `${((from + n) * 7_919) % 1_000_003} Jane Doe`,
    title: 'Dr.',
    via: { phone: `+49 30 ${from + n}`, email: `jane.${from + n}@example.com` },
    metadata: { crm: { id: from + n } },
  }));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** How long pages of a walk through the list take, and its first page, in ms. */
async function walk(hub: BenchHub, say: (line: string) => void): Promise<number> {
  const times: number[] = [];
  const before = hub.cpuSeconds();
  let cursor: string | null = null;
  let total = 0;
  while (times.length < pages) {
    const started = performance.now();
    const { pagination_data }: Listed = await hub.call('contacts.list', { cursor });
    times.push(performance.now() - started);
    // Half of the pages are first ones: those are read elsewhere.
    cursor = times.length % 2 === 0 ? null : pagination_data.next_cursor;
    total = pagination_data.total;
  }
  const cost = ((hub.cpuSeconds() - before) * 1_000) / pages;
  say(
    `pages of ${total} contacts: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, ${cost.toFixed(2)} ms CPU each`,
  );
  return quantile(times, 0.99);
}

/** Messages of conversations that have their contacts, beside a hub that keeps none. */
async function ratioOfIngest(scale: Scale, say: (line: string) => void): Promise<[on: number, off: number]> {
  await using on = await BenchHub.start();
  await using off = await BenchHub.start([], { contacts: false });
  for (const hub of [on, off]) await hub.fill(conversations, conversations);
  await on.contactsMade(conversations);
  const side = (name: string, hub: BenchHub) => async (): Promise<number> => {
    const before = hub.cpuSeconds();
    const { perSecond, requests, seconds } = await saturate(hub.url, hub.token, scale);
    // The warm-up is part of the time that was spent, at about the same rate.
    const counted = seconds / (seconds + scale.warmUp);
    const cost = ((hub.cpuSeconds() - before) * counted * 1e6) / requests;
    say(`ingest, contacts ${name}: ${perSecond.toFixed(0)}/s, ${cost.toFixed(0)} µs CPU each`);
    return perSecond;
  };
  return (await alternate(scale.rounds, [side('on', on), side('off', off)])) as [number, number];
}

/** An import, the list of many contacts, and what a contact for each new conversation costs. */
export const contactList: Scenario = {
  name: 'contacts',
  async run(scale, say) {
    const imports: number[] = [];
    let page: number;
    {
      await using hub = await BenchHub.start();
      for (let from = 0; from < contacts / scale.shrink; from += contactsOfImport) {
        const before = hub.cpuSeconds();
        imports.push(await timed(() => hub.call('contacts.import', people(from))));
        const spent = hub.cpuSeconds() - before;
        say(`import of ${contactsOfImport}: ${imports.at(-1)!.toFixed(0)} ms, ${spent.toFixed(2)} s CPU`);
      }
      page = await walk(hub, say);
    }
    const [on, off] = await ratioOfIngest(scale, say);
    return [
      {
        what: `contacts.import of ${contactsOfImport}`,
        unit: 'ms',
        measured: quantile(imports, 0.5),
        aim: { of: 'measured', most: mostImportMs },
      },
      {
        what: `contacts.list, p99 over ${contacts / scale.shrink}`,
        unit: 'ms',
        measured: page,
        aim: { of: 'measured', most: mostPageMs },
      },
      {
        what: 'single-message ingest with contacts',
        unit: 'messages/s',
        measured: on,
        baseline: { what: 'without contacts', value: off },
        aim: { of: 'ratio', least: leastOfIngest },
      },
    ] satisfies Figure[];
  },
};
