import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIngestedRows, writeRows } from '../bare-rows.ts';
import { BenchHub } from '../hub.ts';
import { conversationNames } from '../requests.ts';
import type { Figure, Scale, Scenario } from '../scenario.ts';
import { temporaryFolder } from '../server-process.ts';
import { alternate } from '../statistics.ts';

const requests = 100;
/** The share of the requests that come before, so that the hub is warm. */
const warmUpShare = 0.1;
/** Of one request, and of one transaction of the baseline. */
const perRequest = 1_000;
/** How many messages of a request are for the same conversation. */
const shapes = [10, 1];
const conversations = conversationNames(1_000);
const leastOfBare = 0.6;

/** Requests walk through this list; each one meets `perConversation` messages of its conversations. */
function walk(perConversation: number): string[] {
  const perWalk = perRequest / perConversation;
  const parts: string[] = [];
  for (let from = 0; from < conversations.length; from += perWalk) {
    const part = conversations.slice(from, from + perWalk);
    for (let i = 0; i < perConversation; i++) parts.push(...part);
  }
  return parts;
}

async function compare(perConversation: number, { rounds, shrink }: Scale, say: (line: string) => void) {
  const folder = temporaryFolder();
  let hub: BenchHub | null = null;
  let round = 0;
  const hubSide = async (): Promise<number> => {
    await hub?.[Symbol.asyncDispose]();
    hub = await BenchHub.start();
    await hub.ingest((requests / shrink) * warmUpShare, perRequest, walk(perConversation));
    const { perSecond } = await hub.ingest(requests / shrink, perRequest, walk(perConversation));
    await hub.stop();
    say(`hub: ${(perSecond * perRequest).toFixed(0)} messages/s`);
    return perSecond * perRequest;
  };
  const bareSide = async (): Promise<number> => {
    const rows = readIngestedRows(hub!.file);
    const perSecond = writeRows(join(folder, `rows-${round++}.db`), rows, perRequest);
    say(`bare better-sqlite3: ${perSecond.toFixed(0)} messages/s, ${rows.writes.length} rows`);
    return perSecond;
  };
  try {
    return (await alternate(rounds, [hubSide, bareSide])) as [number, number];
  } finally {
    await (hub as BenchHub | null)?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Batched ingest over HTTP, beside the very same rows written by better-sqlite3 alone. */
export const batch: Scenario = {
  name: 'batch',
  async run(scale, say) {
    const figures: Figure[] = [];
    for (const perConversation of shapes) {
      const [ingested, bare] = await compare(perConversation, scale, say);
      figures.push({
        what: `ingest of ${perRequest} messages a request, ${perConversation} a conversation`,
        unit: 'messages/s',
        measured: ingested,
        baseline: { what: 'bare better-sqlite3, the same rows', value: bare },
        aim: { of: 'ratio', least: leastOfBare },
      });
    }
    return figures;
  },
};
