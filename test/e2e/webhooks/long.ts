import { backlog } from './backlog.ts';
import { storm } from './storm.ts';

/** The long forms: `node test/e2e/webhooks/long.ts [messages of the storm] [events behind a dead endpoint]`; 0 skips. */
const messages = Number(process.argv[2] ?? 10_000);
const events = Number(process.argv[3] ?? 100_000);
let failed = false;
const log = (line: string): void => console.log(`  ${line}`);

for (const shards of messages > 0 ? [1, 4] : []) {
  const started = Date.now();
  console.log(`${messages} messages through 20 conversations, 30 % failures, 5 kills, ${shards} shards`);
  const options = { messages, conversations: 20, failing: 0.3, kills: 5, shards };
  const { judgement, ...counts } = await storm({ ...options, log });
  for (const [name, list] of Object.entries(judgement)) {
    console.log(`  ${name}: ${list.length}${list.length > 0 ? ` (${list.slice(0, 3).join('; ')})` : ''}`);
    failed ||= list.length > 0;
  }
  failed ||= counts.events !== messages || counts.unfinished > 0 || counts.kills !== 5;
  console.log(`  ${JSON.stringify({ ...counts, seconds: Math.round((Date.now() - started) / 1000) })}`);
}
if (events > 0) {
  console.log(`a dead endpoint with ${events} events behind it`);
  const { judgement, ...figures } = await backlog({ events, rounds: 3, roundMs: 10_000, log });
  const { p50, p99 } = figures.beside;
  console.log(`  ${JSON.stringify(figures)}`);
  console.log(
    `  latency beside it: ${(p50 / figures.without.p50).toFixed(2)} x (p50), ${(p99 / figures.without.p99).toFixed(2)} x (p99)`,
  );
  for (const [name, list] of Object.entries(judgement)) {
    console.log(`  ${name}: ${list.length}`);
    failed ||= list.length > 0;
  }
}
process.exit(failed ? 1 : 0);
