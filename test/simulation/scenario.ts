import { Agents } from './agents.ts';
import type { Clients } from './clients.ts';
import { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { SourceApps } from './source-apps.ts';
import type { World } from './world.ts';

/** How likely each step is. */
const weights = {
  ...{ ingest: 20, say: 4, connection: 4 },
  ...{ send: 22, start: 5, resend: 6, markRead: 5, setState: 4, rename: 2, upsert: 6 },
  ...{ cut: 9, kill: 2, disk: 2, weather: 5, mood: 7, leap: 2 },
} as const;

type Step = keyof typeof weights;

/** What happens in a run, step by step. */
export class Scenario {
  readonly #world: World;
  readonly #sources: SourceApps;
  readonly #steps: Record<Step, () => void>;

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    const sources = new SourceApps(world, clients, ledger);
    const agents = new Agents(world, clients, ledger);
    const faults = new Faults(world, clients);
    this.#sources = sources;
    this.#steps = {
      ingest: () => sources.ingest(),
      say: () => sources.say(),
      connection: () => sources.connection(),
      send: () => agents.send(),
      start: () => agents.start(),
      resend: () => agents.resend(),
      markRead: () => agents.markRead(),
      setState: () => agents.setState(),
      rename: () => agents.rename(),
      upsert: () => agents.upsert(),
      cut: () => faults.cut(),
      kill: () => faults.kill(),
      disk: () => faults.disk(),
      weather: () => faults.weather(),
      mood: () => faults.mood(),
      leap: () => faults.leap(),
    };
  }

  /** Sources and channels, before any fault. */
  prepare(): void {
    this.#sources.prepare();
  }

  step(): void {
    const name = this.#world.random.weighted<Step>(weights);
    this.#world.trace.note('step', name);
    this.#steps[name]();
  }
}
