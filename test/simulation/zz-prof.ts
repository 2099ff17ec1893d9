import { run } from './run.ts';
const n = Number(process.argv[2] ?? 40);
const t = performance.now();
let ev = 0;
const counts: Record<string, number> = {};
for (let seed = 50001; seed <= 50000 + n; seed++) {
  const r = await run({
    seed,
    shards: Number(process.argv[3] ?? 1),
    keepTrace: true,
    sabotage: process.argv[4] as never,
  });
  ev += r.events;
  if (r.problems.length) console.log(seed, r.problems[0]?.slice(0, 200));
  for (const l of r.trace) {
    const p = l.split(' ');
    let k = p[1]!;
    if (k === 'step' || k === 'died') k += ' ' + p[2];
    if (k === 'call') k += ' ' + p[3];
    if (k === 'cut') k += ' ' + p.slice(2).join(' ');
    if (k === 'client') k += ' ' + p[2] + ' ' + p.at(-1);
    counts[k] = (counts[k] ?? 0) + 1;
  }
}
console.log((performance.now() - t) / n, 'ms', ev / n, 'events');
if (!process.argv[4])
  console.log(
    Object.entries(counts)
      .sort()
      .map(([k, v]) => `${k}=${(v / n).toFixed(2)}`)
      .join('  '),
  );
