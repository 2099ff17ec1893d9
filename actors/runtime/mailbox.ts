import { Company } from './company.ts';
import type { Envelope, Reply } from './envelope.ts';

/** A command waiting in a mailbox. */
export interface Queued {
  envelope: Envelope;
  /** Bytes it came in, for the bound of the mailbox. */
  size: number;
  respond(reply: Reply): void;
}

export interface MailboxLimits {
  commands: number;
  bytes: number;
  /** Of one caller for one actor. */
  commandsPerActor: number;
}

/** Bounds of docs/architecture.md, "Limits and back-pressure". */
export const defaultMailboxLimits: MailboxLimits = { commands: 4096, bytes: 16 * 1024 * 1024, commandsPerActor: 256 };

/** Commands of one caller in one batch at most, while others want something too: they wait for no more than these. */
const shareOfBatch = 32;
/** What a caller may be ahead of the others, in bytes that its commands wrote. */
const mostAhead = 16 * 1024;
/** What a command takes besides what it writes, in bytes. */
const bytesPerCommand = 1024;

/** What one caller waits for. The hub itself is a caller too, one without a name. */
interface Lane {
  caller: string;
  /** A queue for each actor. Insertion order is the order of serving: an actor that was served goes to the end. */
  queues: Map<string, Queued[]>;
  commands: number;
  bytes: number;
  /** How far it is ahead of the caller who is furthest behind. */
  ahead: number;
}

const callerOf = ({ envelope: { caller = '' } }: Queued): string => caller;
const actorOf = ({ envelope: { actor } }: Queued): string => `${actor.kind} ${actor.id}`;

/**
 * The commands waiting for one shard. Taking goes round the callers, and round the actors of each, so that neither a
 * caller who wants much nor a hot conversation starves the shard; who is ahead by what its commands wrote lets others go
 * first. The order of one caller's commands for one actor is the order of arrival.
 */
export class Mailbox {
  readonly #limits: MailboxLimits;
  /** Insertion order is the order of serving. Who waits for nothing stays while it is ahead. */
  readonly #lanes = new Map<string, Lane>();
  readonly #company = new Company();
  #commands = 0;
  #bytes = 0;

  constructor(limits: MailboxLimits = defaultMailboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#commands;
  }

  /**
   * Takes a command in. When the mailbox is full, the caller with the most in it gives way.
   * @param now epoch ms
   * @returns the commands that there is no room for: this one, or the newest of another caller
   */
  offer(queued: Queued, now: number): Queued[] {
    const caller = callerOf(queued);
    if (caller !== '') this.#company.seen(caller, now);
    const lane = this.#lanes.get(caller);
    if ((lane?.queues.get(actorOf(queued))?.length ?? 0) >= this.#limits.commandsPerActor) return [queued];
    const refused: Queued[] = [];
    while (!this.#hasRoomFor(queued)) {
      const largest = this.#largest();
      if (
        largest === null ||
        this.#weight(largest) <= this.#weight(lane) + this.#weight({ commands: 1, bytes: queued.size })
      )
        return [...refused, queued];
      refused.push(this.#removeNewest(largest));
    }
    this.#add(queued, 'push');
    return refused;
  }

  /** Gives back what was taken and not handled: it comes before what is newer for the same actor, in its order. */
  putBack(commands: readonly Queued[]): void {
    for (const queued of commands.toReversed()) this.#add(queued, 'unshift');
  }

  /** Counts what a command wrote, in bytes. It matters only while somebody waits. */
  charge(queued: Queued, bytes: number): void {
    if (this.#commands > 0) this.#laneOf(callerOf(queued)).ahead += bytes + bytesPerCommand;
  }

  /**
   * Takes at most `commands` and about `bytes` (always one command when there is one).
   * @param now epoch ms
   */
  take(commands: number, bytes: number, now: number): Queued[] {
    const share = this.#company.isSeveral(now) ? shareOfBatch : commands;
    const served = new Map<Lane, number>();
    const taken: Queued[] = [];
    let size = 0;
    while (taken.length < commands) {
      const lane = this.#next((each) => (served.get(each) ?? 0) < share);
      if (lane === null) break;
      const [queue] = lane.queues.values();
      const next = queue![0]!;
      if (taken.length > 0 && size + next.size > bytes) break;
      this.#removeOldest(lane);
      served.set(lane, (served.get(lane) ?? 0) + 1);
      taken.push(next);
      size += next.size;
    }
    if (this.#commands === 0) this.#lanes.clear();
    return taken;
  }

  /** Takes everything, for a host that can not serve it. */
  takeAll(): Queued[] {
    const all = [...this.#lanes.values()].flatMap(({ queues }) => [...queues.values()].flat());
    this.#lanes.clear();
    this.#commands = 0;
    this.#bytes = 0;
    return all;
  }

  /** The caller who is served next, of those who may be; null: none of them waits. */
  #next(mayBe: (lane: Lane) => boolean): Lane | null {
    let least = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.commands === 0 || !mayBe(lane)) continue;
      if (lane.ahead < mostAhead) return lane;
      least = Math.min(least, lane.ahead);
    }
    if (least === Number.POSITIVE_INFINITY) return null;
    // All who may be served are ahead of somebody who wants nothing now: nobody has to wait for that one.
    for (const lane of this.#lanes.values()) this.#fallBack(lane, least);
    return this.#next(mayBe);
  }

  #fallBack(lane: Lane, bytes: number): void {
    lane.ahead = Math.max(0, lane.ahead - bytes);
    if (lane.commands === 0 && lane.ahead === 0) this.#lanes.delete(lane.caller);
  }

  #hasRoomFor({ size }: Queued): boolean {
    return this.#commands < this.#limits.commands && this.#bytes + size <= this.#limits.bytes;
  }

  /** The share of the mailbox that somebody's commands fill. */
  #weight({ commands, bytes }: Pick<Lane, 'commands' | 'bytes'> = { commands: 0, bytes: 0 }): number {
    return Math.max(commands / this.#limits.commands, bytes / this.#limits.bytes);
  }

  #largest(): Lane | null {
    let largest: Lane | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.commands > 0 && (largest === null || this.#weight(lane) > this.#weight(largest))) largest = lane;
    }
    return largest;
  }

  #laneOf(caller: string): Lane {
    const known = this.#lanes.get(caller);
    if (known !== undefined) return known;
    const lane: Lane = { caller, queues: new Map(), commands: 0, bytes: 0, ahead: 0 };
    this.#lanes.set(caller, lane);
    return lane;
  }

  #add(queued: Queued, end: 'push' | 'unshift'): void {
    const lane = this.#laneOf(callerOf(queued));
    const actor = actorOf(queued);
    const queue = lane.queues.get(actor);
    if (queue === undefined) lane.queues.set(actor, [queued]);
    else queue[end](queued);
    this.#count(lane, 1, queued.size);
  }

  /** Of the actor whose turn it is; the caller and the actor go to the end. */
  #removeOldest(lane: Lane): void {
    const [actor, queue] = lane.queues.entries().next().value!;
    const { size } = queue.shift()!;
    lane.queues.delete(actor);
    if (queue.length > 0) lane.queues.set(actor, queue);
    this.#lanes.delete(lane.caller);
    this.#lanes.set(lane.caller, lane);
    this.#count(lane, -1, -size);
  }

  /** Of the actor whose turn comes last. */
  #removeNewest(lane: Lane): Queued {
    const [actor, queue] = [...lane.queues].at(-1)!;
    const queued = queue.pop()!;
    if (queue.length === 0) lane.queues.delete(actor);
    this.#count(lane, -1, -queued.size);
    return queued;
  }

  #count(lane: Lane, commands: number, bytes: number): void {
    lane.commands += commands;
    lane.bytes += bytes;
    this.#commands += commands;
    this.#bytes += bytes;
  }
}
