import { torture } from './crash/torture.ts';

/** The long form of the crash test: `npm run chaos [-- kills [hub|nats-server]]`; half of the kills with 4 shards. */
const kills = Number(process.argv[2] ?? 500);
const log = (line: string): void => console.log(line);
let failed = false;
const victims = (['hub', 'nats-server'] as const).filter((name) => (process.argv[3] ?? name) === name);
for (const victim of victims) {
  for (const shards of [1, 4]) {
    const started = Date.now();
    log(`killing the ${victim} ${kills / 2} times, ${shards} shards, 50 writers`);
    const report = await torture({ victim, kills: kills / 2, writers: 50, shards, between: [50, 900], log });
    const { lost, doubled, gaps, undelivered, contradictions, problems, ...counts } = report;
    const faults = { lost, doubled, gaps, undelivered, contradictions, problems };
    for (const [name, list] of Object.entries(faults)) {
      log(`  ${name}: ${list.length}${list.length > 0 ? ` (${list.slice(0, 3).join('; ')})` : ''}`);
      failed ||= list.length > 0;
    }
    log(`  ${JSON.stringify({ ...counts, seconds: Math.round((Date.now() - started) / 1000) })}`);
  }
}
process.exit(failed ? 1 : 0);
