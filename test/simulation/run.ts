import { Clients } from './clients.ts';

import { problemsOf, waitingIn } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { Scenario } from './scenario.ts';
import { webhookProblems } from './webhook-problems.ts';
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

/** How long a hub may take to come up, clients to come to an end, a healed one to get quiet, and its followers to catch up, in virtual seconds. */
const patience = { start: 60, evening: 20, end: 900, followers: 60 } as const;
/** Of those seconds, every so many time leaps by an hour. */
const leapEvery = 20;
const hour = 3_600_000;
const day = 24 * hour;
/** After so many, it leaps by days: a timer that was set while the clock was wrong may be far away. */
const manyLeaps = 30;
/** Of a run, on average. */
const nights = 1;
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
  const scenario = new Scenario(world, clients, ledger);
  try {
    const restless = await lived(world, clients, scenario, steps);
    if (restless !== null) return [...world.problems, restless];
    return [
      ...world.problems,
      ...problemsOf(world, ledger),
      ...webhookProblems(world, scenario.webhooks.subscribed),
      ...scenario.followers.problems(),
      ...scenario.components.problems(),
      ...scenario.visitors.problems(),
    ];
  } catch (error) {
    if (!(error instanceof Endless)) throw error;
    return [...world.problems, `the run does not end: ${error.message}; ${goingOn(world, clients, scenario)}`];
  }
}

/** Null when the hub got quiet in the end, else what is still going on. */
async function lived(world: World, clients: Clients, scenario: Scenario, steps: number): Promise<string | null> {
  const { time, random } = world;
  scenario.prepare();
  for (let second = 0; clients.underWay > 0 || !world.isSettled; second++) {
    if (second === patience.start) return `the hub does not come up: ${goingOn(world, clients, scenario)}`;
    await time.pass(1_000);
  }
  world.prepared();
  for (let step = 0; step < steps; step++) {
    if (random.chance(nights / steps)) await night(world, clients);
    scenario.step();
    await time.pass(random.int(random.chance(0.15) ? 3_000 : 60));
  }
  world.heal();
  clients.loss = 0;
  const restless = await quieted(world, clients, scenario);
  if (restless !== null) return restless;
  await scenario.epilogue();
  return quieted(world, clients, scenario);
}

/** Nobody asks for anything any more, and a day or more passes at once. */
async function night(world: World, clients: Clients): Promise<void> {
  const { time, random } = world;
  for (let second = 0; second < patience.evening; second++) {
    await time.pass(1_000);
    if (clients.underWay === 0) break;
  }
  if (clients.underWay === 0) time.leap(20 * hour + random.int(2 * day));
}

/** Null when the hub got quiet and all who follow it have caught up, else what is still going on. */
async function quieted(world: World, clients: Clients, scenario: Scenario): Promise<string | null> {
  for (let second = 1, quiet = 0; second <= patience.end; second++) {
    await world.time.pass(1_000);
    scenario.components.recover();
    scenario.visitors.recover();
    // Not while somebody asks: for the hub it may be another day.
    if (clients.underWay === 0) world.correctClock();
    if (isQuiet(world, clients) && scenario.visitors.areQuiet) {
      // Those who follow the feed are some way behind.
      if (scenario.followers.haveAll || ++quiet === patience.followers) return null;
    } else if (second % leapEvery === 0) {
      // What was put off for hours comes due; what ended for good is asked for anew.
      world.time.leap(second > manyLeaps * leapEvery ? 10 * day : hour);
      scenario.webhooks.resume();
    }
  }
  return `the hub does not get quiet: ${goingOn(world, clients, scenario)}`;
}

function isQuiet(world: World, clients: Clients): boolean {
  if (!world.up || !world.isSettled || clients.underWay > 0 || world.callsUnderWay > 0) return false;
  return Object.values(waitingIn(world)).every((count) => count === 0);
}

function goingOn(world: World, clients: Clients, { visitors }: Scenario): string {
  const counts = {
    ...waitingIn(world),
    clients: clients.underWay,
    calls: world.callsUnderWay,
    visitors: visitors.states,
  };
  return `${JSON.stringify(counts)}, last: ${world.trace.end}`;
}
