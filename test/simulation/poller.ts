import type { EventJson } from '#actors/representation.ts';
import { Following, oldestIn, type Wish } from './following.ts';
import { request } from './http.ts';
import { positionOf } from './witness.ts';
import type { World } from './world.ts';

/** What `events.list` answers with. */
interface EventPage {
  data: EventJson[];
  next_cursor: string;
}

/** Wait between two questions, in ms, at most: when there was nothing, and when there was something. */
const pause = { idle: 4_000, busy: 100 } as const;

/** A client that asks `events.list` again and again, from the beginning of the feed on. */
export class Poller {
  readonly following: Following;
  readonly #world: World;
  readonly #pageSize: number;

  constructor(world: World, name: string, wish: Wish) {
    this.#world = world;
    this.#pageSize = 1 + world.random.int(30);
    this.following = new Following(name, wish, world.witness);
    this.following.begin([]);
  }

  start(): void {
    const { time, random } = this.#world;
    void this.#ask().then((more) => time.after(random.int(more ? pause.busy : pause.idle), () => this.start()));
  }

  /** @returns whether there may be more */
  async #ask(): Promise<boolean> {
    const { hub, random, trace, problems } = this.#world;
    if (hub === null) return false;
    const { types, conversationId } = this.following.wish;
    const body = {
      page_size: this.#pageSize,
      ...(types && { types }),
      ...(conversationId !== undefined && { conversation_id: conversationId }),
      ...(this.following.cursor !== null && { after: this.following.cursor }),
    };
    // A node that is behind does not know the newest cursors.
    const wasBehind = this.#world.isBehind(hub.process);
    const answer = await request(hub, { path: '/events.list', body: JSON.stringify(body), headers: {} });
    // What gets lost is asked for again.
    if (answer === null || random.chance(0.05)) return true;
    if (answer.status === 410) {
      const cursor = oldestIn((answer.body as { error: string }).error);
      this.following.expire(positionOf(cursor), cursor);
      return true;
    }
    if (answer.status === 400 && wasBehind) return true;
    if (answer.status !== 200) {
      problems.push(`events.list answered ${answer.status} ${JSON.stringify(answer.body)}`);
      return false;
    }
    const { data, next_cursor } = answer.body as EventPage;
    trace.note('poll', `${data.length}`);
    for (const event of data) this.following.take(event);
    this.following.cursor = next_cursor;
    return data.length > 0;
  }
}
