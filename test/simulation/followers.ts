import { eventTypes } from '#actors/representation.ts';
import { contacts } from './cast.ts';
import type { Following, Wish } from './following.ts';
import { Listener } from './listener.ts';
import { Poller } from './poller.ts';
import type { World } from './world.ts';

const beatsMs = 20_000;

/** Everyone who follows the feed by WebSocket or by asking. */
export class Followers {
  readonly #world: World;
  readonly #listeners: Listener[] = [];
  readonly #pollers: Poller[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Some come at once, others later. */
  prepare(): void {
    for (let count = 1 + this.#world.random.int(3); count > 0; count--) this.listen();
    for (let count = 1 + this.#world.random.int(2); count > 0; count--) this.poll();
  }

  listen(): void {
    const { random } = this.#world;
    const wishes = Array.from({ length: random.pick([1, 1, 2]) }, () => this.#wish(1));
    const name = `listener ${this.#listeners.length}`;
    const listener = new Listener(this.#world, name, wishes, random.chance(0.5) ? beatsMs : 0);
    this.#listeners.push(listener);
    listener.connect();
  }

  poll(): void {
    const poller = new Poller(this.#world, `poller ${this.#pollers.length}`, this.#wish(3));
    this.#pollers.push(poller);
    poller.start();
  }

  /** A connection breaks, or nothing arrives on it for a while. */
  disturb(): void {
    const { random } = this.#world;
    const listener = random.pick(this.#listeners);
    if (random.chance(0.6)) listener?.cut();
    else listener?.jam(random.int(20_000));
  }

  /** Whether all have got what is due. */
  get haveAll(): boolean {
    return this.#followings().every((following) => this.#world.blameable(following.missing()).length === 0);
  }

  problems(): string[] {
    return this.#followings().flatMap((following) => [
      ...following.problems,
      ...this.#world
        .blameable(following.missing())
        .map(({ text }) => `${following.name}: an event did not come: ${text}`),
    ]);
  }

  #followings(): Following[] {
    return [
      ...this.#listeners.flatMap(({ followings }) => followings),
      ...this.#pollers.map(({ following }) => following),
    ];
  }

  #wish(types: number): Wish {
    const { random } = this.#world;
    if (random.chance(0.4)) return {};
    if (random.chance(0.5)) return { conversationId: random.pick(contacts).conversation };
    return { types: Array.from(new Set(Array.from({ length: types }, () => random.pick(eventTypes)))) };
  }
}
