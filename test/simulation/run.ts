import { Clients } from './clients.ts';
import { problemsOf } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { Scenario } from './scenario.ts';
import { World, type WorldOptions } from './world.ts';

export interface Run {
  /** SHA-256 of everything that happened, hexadecimal. */
  hash: string;
  events: number;
  problems: string[];
  /** Empty unless asked for. */
  trace: string[];
}

export interface RunOptions extends WorldOptions {
  steps?: number;
}

/** How long a healed hub may take to get quiet, in virtual seconds. */
const patience = 900;

/** One run: a hub under faults, then healed; its store against what its clients were told. */
export async function run(options: RunOptions): Promise<Run> {
  const world = new World(options);
  try {
    const ledger = new Ledger();
    const clients = new Clients(world);
    const scenario = new Scenario(world, clients, ledger);
    scenario.prepare();
    while (clients.underWay > 0) await world.time.pass(100);
    for (let step = 0; step < (options.steps ?? 100); step++) {
      scenario.step();
      await world.time.pass(world.random.int(world.random.chance(0.15) ? 3_000 : 60));
    }
    world.heal();
    const restless = await quiet(world, clients);
    const problems = [...world.problems, ...(restless === null ? problemsOf(world, ledger) : [restless])];
    return { hash: world.trace.digest(), events: world.time.events, problems, trace: world.trace.lines };
  } finally {
    world.close();
  }
}

/** Null when the hub got quiet, else what is still going on. */
async function quiet(world: World, clients: Clients): Promise<string | null> {
  const waiting = world.db.prepare(
    `SELECT (SELECT count(*) FROM outbox) AS outbox, (SELECT count(*) FROM timer) AS timer,
       (SELECT count(*) FROM parked_send) AS parked_send,
       (SELECT count(*) FROM parked_metadata p WHERE EXISTS (
         SELECT 1 FROM conversation c WHERE c.source_conversation_id = p.target AND c.source = p.source_id)) AS said`,
  );
  for (let second = 0; second < patience; second++) {
    await world.time.pass(1_000);
    if (!world.up || clients.underWay > 0 || world.sources.underWay > 0) continue;
    if (Object.values(waiting.get() as Record<string, number>).every((count) => count === 0)) return null;
  }
  const left = JSON.stringify({
    ...(waiting.get() as object),
    clients: clients.underWay,
    calls: world.sources.underWay,
  });
  return `the hub does not get quiet: ${left}`;
}
