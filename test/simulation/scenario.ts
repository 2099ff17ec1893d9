import type { Clients } from './clients.ts';
import { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { Requests } from './requests.ts';
import type { World } from './world.ts';

/** How likely a step is which request, or which fault. */
const requests = {
  ...{ ingest: 20, send: 22, start: 5, resend: 6, markRead: 5 },
  ...{ setState: 4, upsert: 6, say: 4, connection: 4 },
} as const;
const faults = { cut: 9, kill: 2, disk: 2, weather: 5, mood: 7, leap: 2 } as const;

/** What happens in a run, step by step. */
export class Scenario {
  readonly #world: World;
  readonly #requests: Requests;
  readonly #faults: Faults;

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    this.#requests = new Requests(world, clients, ledger);
    this.#faults = new Faults(world, clients);
  }

  /** Sources and channels, before any fault. */
  prepare(): void {
    this.#requests.prepare();
  }

  step(): void {
    const { random, trace } = this.#world;
    const name = random.weighted<keyof typeof requests | keyof typeof faults>({ ...requests, ...faults });
    trace.note('step', name);
    if (name in faults) this.#faults[name as keyof typeof faults]();
    else this.#requests[name as keyof typeof requests]();
  }
}
