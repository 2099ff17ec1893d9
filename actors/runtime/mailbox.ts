import { Company } from './company.ts';
import type { Envelope, Reply } from './envelope.ts';

/** A command waiting in a mailbox. */
export interface Queued {
  envelope: Envelope;
  /** Bytes it came in, for the bound of the mailbox. */
  size: number;
  respond: (reply: Reply) => void;
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
interface CallerQueues {
  caller: string;
  /** A queue for each actor. Insertion order is the order of serving: an actor that was served goes to the end. */
  queues: Map<string, Queued[]>;
  commands: number;
  bytes: number;
  /** How far it is ahead of the caller who is furthest behind. */
  ahead: number;
}

/** One after the other: whoever asks again may have given the first answer up. */
function respondingBoth({ respond: first }: Queued, { respond: second }: Queued): Queued['respond'] {
  return (reply) => {
    first(reply);
    second(reply);
  };
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
  readonly #callers = new Map<string, CallerQueues>();
  readonly #company = new Company();
  /** By their command ids. */
  readonly #waiting = new Map<string, Queued>();
  #commands = 0;
  #bytes = 0;

  constructor(limits: MailboxLimits = defaultMailboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#commands;
  }

  /**
   * Takes a command in. When the mailbox is full, the caller with the most in it gives way. One that waits already takes
   * no second place: it is handled once, and answered as often as it was asked.
   * @param now ms, as the clock's `elapsed`
   * @returns the commands that there is no room for: this one, or the newest of another caller
   */
  offer(queued: Queued, now: number): Queued[] {
    const caller = callerOf(queued);
    if (caller !== '') this.#company.seen(caller, now);
    const same = this.#waiting.get(queued.envelope.commandId);
    if (same !== undefined) {
      same.respond = respondingBoth(same, queued);
      return [];
    }
    const mine = this.#callers.get(caller);
    if ((mine?.queues.get(actorOf(queued))?.length ?? 0) >= this.#limits.commandsPerActor) return [queued];
    const refused: Queued[] = [];
    while (!this.#hasRoomFor(queued)) {
      const largest = this.#largest();
      if (
        largest === null ||
        this.#weight(largest) <= this.#weight(mine) + this.#weight({ commands: 1, bytes: queued.size })
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
    if (this.#commands > 0) this.#queuesOf(callerOf(queued)).ahead += bytes + bytesPerCommand;
  }

  /**
   * Takes at most `commands` and about `bytes` (always one command when there is one).
   * @param now ms, as the clock's `elapsed`
   */
  take(commands: number, bytes: number, now: number): Queued[] {
    const share = this.#company.isSeveral(now) ? shareOfBatch : commands;
    const served = new Map<CallerQueues, number>();
    const taken: Queued[] = [];
    let size = 0;
    while (taken.length < commands) {
      const mine = this.#next((each) => (served.get(each) ?? 0) < share);
      if (mine === null) break;
      const [queue] = mine.queues.values();
      const next = queue![0]!;
      if (taken.length > 0 && size + next.size > bytes) break;
      this.#removeOldest(mine);
      served.set(mine, (served.get(mine) ?? 0) + 1);
      taken.push(next);
      size += next.size;
    }
    if (this.#commands === 0) this.#callers.clear();
    return taken;
  }

  /** Takes everything, for a host that can not serve it. */
  takeAll(): Queued[] {
    const all = [...this.#callers.values()].flatMap(({ queues }) => [...queues.values()].flat());
    this.#callers.clear();
    this.#waiting.clear();
    this.#commands = 0;
    this.#bytes = 0;
    return all;
  }

  /** The caller who is served next, of those who may be; null: none of them waits. */
  #next(mayBe: (mine: CallerQueues) => boolean): CallerQueues | null {
    let least = Number.POSITIVE_INFINITY;
    for (const mine of this.#callers.values()) {
      if (mine.commands === 0 || !mayBe(mine)) continue;
      if (mine.ahead < mostAhead) return mine;
      least = Math.min(least, mine.ahead);
    }
    if (least === Number.POSITIVE_INFINITY) return null;
    // All who may be served are ahead of somebody who wants nothing now: nobody has to wait for that one.
    for (const mine of this.#callers.values()) this.#fallBack(mine, least);
    return this.#next(mayBe);
  }

  #fallBack(mine: CallerQueues, bytes: number): void {
    mine.ahead = Math.max(0, mine.ahead - bytes);
    if (mine.commands === 0 && mine.ahead === 0) this.#callers.delete(mine.caller);
  }

  #hasRoomFor({ size }: Queued): boolean {
    return this.#commands < this.#limits.commands && this.#bytes + size <= this.#limits.bytes;
  }

  /** The share of the mailbox that somebody's commands fill. */
  #weight({ commands, bytes }: Pick<CallerQueues, 'commands' | 'bytes'> = { commands: 0, bytes: 0 }): number {
    return Math.max(commands / this.#limits.commands, bytes / this.#limits.bytes);
  }

  #largest(): CallerQueues | null {
    let largest: CallerQueues | null = null;
    for (const mine of this.#callers.values()) {
      if (mine.commands > 0 && (largest === null || this.#weight(mine) > this.#weight(largest))) largest = mine;
    }
    return largest;
  }

  #queuesOf(caller: string): CallerQueues {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    const mine: CallerQueues = { caller, queues: new Map(), commands: 0, bytes: 0, ahead: 0 };
    this.#callers.set(caller, mine);
    return mine;
  }

  #add(queued: Queued, end: 'push' | 'unshift'): void {
    const mine = this.#queuesOf(callerOf(queued));
    const actor = actorOf(queued);
    const queue = mine.queues.get(actor);
    if (queue === undefined) mine.queues.set(actor, [queued]);
    else queue[end](queued);
    this.#waiting.set(queued.envelope.commandId, queued);
    this.#count(mine, 1, queued.size);
  }

  /** Of the actor whose turn it is; the caller and the actor go to the end. */
  #removeOldest(mine: CallerQueues): void {
    const [actor, queue] = mine.queues.entries().next().value!;
    const { size, envelope } = queue.shift()!;
    this.#waiting.delete(envelope.commandId);
    mine.queues.delete(actor);
    if (queue.length > 0) mine.queues.set(actor, queue);
    this.#callers.delete(mine.caller);
    this.#callers.set(mine.caller, mine);
    this.#count(mine, -1, -size);
  }

  /** Of the actor whose turn comes last. */
  #removeNewest(mine: CallerQueues): Queued {
    const [actor, queue] = [...mine.queues].at(-1)!;
    const queued = queue.pop()!;
    this.#waiting.delete(queued.envelope.commandId);
    if (queue.length === 0) mine.queues.delete(actor);
    this.#count(mine, -1, -queued.size);
    return queued;
  }

  #count(mine: CallerQueues, commands: number, bytes: number): void {
    mine.commands += commands;
    mine.bytes += bytes;
    this.#commands += commands;
    this.#bytes += bytes;
  }
}
