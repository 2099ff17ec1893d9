import type { Clients } from './clients.ts';
import { endpoint, sourceIds } from './cast.ts';
import type { moods } from './sources.ts';
import type { World } from './world.ts';

const hour = 3_600_000;

/** What goes wrong, as chance will have it. */
export class Faults {
  readonly #world: World;
  readonly #clients: Clients;

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
  }

  cut(): void {
    const { random } = this.#world;
    if (random.chance(0.75)) this.#world.planCut('host', 1 + random.int(60));
    else this.#world.planCut('hub', 1 + random.int(12));
  }

  kill(): void {
    this.#world.kill(this.#world.random.pick(['host', 'hub']));
  }

  disk(): void {
    this.#world.planDiskFailure(1 + this.#world.random.int(30), 1 + this.#world.random.int(4));
  }

  weather(): void {
    const { random, bus } = this.#world;
    this.#clients.loss = random.chance(0.5) ? 0 : random.random() * 0.1;
    const likely = (): number => (random.chance(0.4) ? 0 : random.random() * 0.15);
    bus.faults = {
      lose: likely(),
      repeat: this.#world.repeats ? likely() : 0,
      slow: likely(),
      disconnect: likely() / 2,
    };
  }

  mood(): void {
    const { random, sources } = this.#world;
    const mood = random.weighted<keyof typeof moods>({ well: 3, flaky: 6, down: 1, busy: 1 });
    sources.moods.set(endpoint(random.pick(sourceIds)), mood);
  }

  leap(): void {
    const { random, time } = this.#world;
    // An operation that spans more than a day is beyond what its key promises.
    const longest = this.#clients.underWay === 0 ? 30 * hour : 5 * hour;
    time.leap(random.int(random.chance(0.7) ? 60_000 : longest));
  }
}
