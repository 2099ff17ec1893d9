import type { Clients } from './clients.ts';
import { endpoint, sourceIds } from './cast.ts';
import type { ReceiverMood } from './receivers.ts';
import type { Mood } from './sources.ts';
import type { World } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

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
    const mood = random.weighted<Mood>({ well: 3, flaky: 6, down: 1, busy: 1 });
    sources.moods.set(endpoint(random.pick(sourceIds)), mood);
  }

  receiverMood(): void {
    const { random, receivers } = this.#world;
    const mood = random.weighted<ReceiverMood>({ well: 3, flaky: 6, down: 2, slow: 1, busy: 1 });
    receivers.moods.set(`receiver-${1 + random.int(4)}.example`, mood);
  }

  log(): void {
    this.#world.setLog(this.#world.random.chance(0.4));
  }

  /** A node is cut off for a while. */
  cutOff(): void {
    const { random, nodes, partition } = this.#world;
    partition.cutOff(random.pick(nodes).name, random.int(20_000));
  }

  /** A shard is taken, maybe from an owner that is well. */
  take(): void {
    const { random, nodes, cluster, shards } = this.#world;
    cluster?.take(random.pick(nodes), random.int(shards));
  }

  /** A shard goes from one node to the other as it is meant to. */
  handOver(): void {
    const { random, nodes, cluster, shards } = this.#world;
    const [from, to] = random.chance(0.5) ? nodes : nodes.toReversed();
    if (to !== undefined) void cluster?.handOver(from!, to, random.int(shards));
  }

  /** Time passes at once, as on a machine that was suspended. */
  leap(): void {
    this.#world.time.leap(this.#longTime());
  }

  /** The clocks are set forwards or back. */
  setClock(): void {
    const { random } = this.#world;
    const days = this.#clients.underWay === 0 && random.chance(0.3);
    const by = days ? 40 * day : this.#longTime();
    this.#world.setClock(random.chance(0.5) ? by : -by);
  }

  /** The clocks are 40 days wrong for a minute. Nobody may be asking. */
  async wrongForAMinute(): Promise<void> {
    const { random, time } = this.#world;
    const by = random.chance(0.5) ? 40 * day : -40 * day;
    this.#world.setClock(by);
    await time.pass(minute);
    this.#world.setClock(-by);
  }

  #longTime(): number {
    const { random } = this.#world;
    // A request that spans more than a day is beyond what its key promises.
    const longest = this.#clients.underWay === 0 ? 30 * hour : 5 * hour;
    return random.int(random.chance(0.7) ? 60_000 : longest);
  }
}
