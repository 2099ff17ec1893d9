import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Figure, fullScale, isMet, quickScale, ratioOf, type Scenario } from './scenario.ts';
import { attacker } from './scenarios/attacker.ts';
import { batch } from './scenarios/batch.ts';
import { checkpoints } from './scenarios/checkpoints.ts';
import { contactList } from './scenarios/contacts.ts';
import { growth } from './scenarios/growth.ts';
import { hanging } from './scenarios/hanging.ts';
import { ingest } from './scenarios/ingest.ts';
import { latency } from './scenarios/latency.ts';
import { list } from './scenarios/list.ts';
import { memory } from './scenarios/memory.ts';
import { search } from './scenarios/search.ts';
import { start } from './scenarios/start.ts';
import { storage } from './scenarios/storage.ts';
import { strangers } from './scenarios/strangers.ts';
import { connectedVisitors } from './scenarios/visitors.ts';
import { webhooks } from './scenarios/webhooks.ts';

const usage = 'npm run bench -- [--quick] [--json] [scenario …]';
const scenarios: Scenario[] = [
  ingest,
  batch,
  list,
  contactList,
  search,
  latency,
  hanging,
  strangers,
  attacker,
  webhooks,
  checkpoints,
  growth,
  storage,
  start,
  memory,
  connectedVisitors,
];

/** A scenario's figures, or why there are none. */
type Result = { scenario: string; figures: Figure[] } | { scenario: string; failure: string };

const precise = 100;
const number = (value: number): string => (value < precise ? value.toFixed(2) : value.toFixed(0));

function aimText({ aim, unit }: Figure): string {
  if (aim === undefined) return '';
  const bound = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`;
  return aim.of === 'ratio' ? `${bound} ×` : `${bound} ${unit}`;
}

function row(scenario: string, figure: Figure): string[] {
  const { what, unit, measured, baseline } = figure;
  const ratio = ratioOf(figure);
  const met = isMet(figure);
  return [
    scenario,
    what,
    `${number(measured)} ${unit}`,
    baseline === undefined ? '' : `${number(baseline.value)} (${baseline.what})`,
    ratio === null ? '' : `${ratio.toFixed(2)} ×`,
    aimText(figure),
    met === null ? '' : met ? 'yes' : 'no',
  ];
}

function table(results: Result[]): string {
  const head = ['scenario', 'figure', 'measured', 'baseline', 'ratio', 'aim', 'met'];
  const body = results.flatMap((result) =>
    'figures' in result
      ? result.figures.map((figure) => row(result.scenario, figure))
      : [[result.scenario, `failed: ${result.failure}`]],
  );
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].filter((cells) => cells.length === head.length).map((cells) => cells[column]!.length)),
  );
  const line = (cells: string[]): string => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map((cells) => line(cells).trimEnd()).join('\n');
}

/** With `--json` standard output holds only the results; progress goes to standard error in any case. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    const names = scenarios.map(({ name }) => name).join(', ');
    throw new Error(`no scenario ${unknown.join(', ')}; there are ${names}\n${usage}`);
  }
  const wanted = positionals.length === 0 ? scenarios : scenarios.filter(({ name }) => positionals.includes(name));
  const scale = values.quick ? quickScale : fullScale;
  const results: Result[] = [];
  for (const { name, run } of wanted) {
    const say = (line: string): void => console.error(`${name}: ${line}`);
    try {
      results.push({ scenario: name, figures: await run(scale, say) });
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      say(failure);
      results.push({ scenario: name, failure });
      process.exitCode = 1;
    }
  }
  const machine = { cores: availableParallelism(), node: process.version, scale };
  if (!values.json) console.log(`\n${table(results)}\n\n${machine.cores} cores, Node ${machine.node}`);
  else {
    const judged = results.map((result) =>
      'figures' in result
        ? { ...result, figures: result.figures.map((f) => ({ ...f, ratio: ratioOf(f), met: isMet(f) })) }
        : result,
    );
    console.log(JSON.stringify({ ...machine, results: judged }, null, 2));
  }
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
