import { Clients } from './clients.ts';
import { problemsOf, waitingIn } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { Scenario } from './scenario.ts';
import { Endless } from './virtual-time.ts';
import { World, type WorldOptions } from './world.ts';

export interface Run {
  /** SHA-256 of everything that happened, hexadecimal. */
  hash: string;
  events: number;
  problems: string[];
  /** The last lines only, unless all are asked for. */
  trace: string[];
}

export interface RunOptions extends WorldOptions {
  /** 100 unless given. */
  steps?: number | undefined;
}

/** How long a hub may take to come up, and a healed one to get quiet, in virtual seconds. */
const patience = { start: 60, end: 900 } as const;
/** Events of a run and of each of its steps at most: many times what a long one has. */
const mostEvents = { run: 20_000, step: 1_000 } as const;

/** One run: a hub under faults, then healed; its store against what its clients were told. Always ends. */
export async function run(options: RunOptions): Promise<Run> {
  const steps = options.steps ?? 100;
  const world = new World(options, mostEvents.run + steps * mostEvents.step);
  try {
    const problems = await verdict(world, steps);
    return { hash: world.trace.digest(), events: world.time.events, problems, trace: world.trace.lines };
  } finally {
    world.close();
  }
}

async function verdict(world: World, steps: number): Promise<string[]> {
  const ledger = new Ledger();
  const clients = new Clients(world);
  try {
    const restless = await lived(world, clients, new Scenario(world, clients, ledger), steps);
    return [...world.problems, ...(restless === null ? problemsOf(world, ledger) : [restless])];
  } catch (error) {
    if (!(error instanceof Endless)) throw error;
    return [...world.problems, `the run does not end: ${error.message}; ${goingOn(world, clients)}`];
  }
}

/** Null when the hub got quiet in the end, else what is still going on. */
async function lived(world: World, clients: Clients, scenario: Scenario, steps: number): Promise<string | null> {
  const { time, random } = world;
  scenario.prepare();
  for (let second = 0; clients.underWay > 0; second++) {
    if (second === patience.start) return `the hub does not come up: ${goingOn(world, clients)}`;
    await time.pass(1_000);
  }
  for (let step = 0; step < steps; step++) {
    scenario.step();
    await time.pass(random.int(random.chance(0.15) ? 3_000 : 60));
  }
  world.heal();
  for (let second = 0; second < patience.end; second++) {
    await time.pass(1_000);
    if (isQuiet(world, clients)) return null;
  }
  return `the hub does not get quiet: ${goingOn(world, clients)}`;
}

function isQuiet(world: World, clients: Clients): boolean {
  if (!world.up || clients.underWay > 0 || world.sources.underWay > 0) return false;
  return Object.values(waitingIn(world.db)).every((count) => count === 0);
}

function goingOn(world: World, clients: Clients): string {
  const counts = { ...waitingIn(world.db), clients: clients.underWay, calls: world.sources.underWay };
  return `${JSON.stringify(counts)}, last: ${world.trace.end}`;
}
