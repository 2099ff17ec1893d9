import { namespaces } from '../ids.ts';
import type { Cancel, Clock } from '../ports.ts';
import type { Problems } from '../problems.ts';
import type { HostStore } from '../store/host-store.ts';
import type { TimerRow } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import type { ActorAddress, Envelope } from './envelope.ts';
import { reasonOf } from './failing.ts';
import { MovedTimers } from './moved-timers.ts';
import { runtimeCommands } from './runtime-commands.ts';

export interface TimersOptions {
  store: Pick<HostStore, 'dueTimers' | 'nextTimer' | 'timersBetween'>;
  clock: Clock;
  /** The shards whose timers are fired here. */
  owned(): readonly number[];
  /** For each of them the key that its next row gets. */
  nextKeys(): ReadonlyMap<number, number>;
  /** Null: the actor is not stored. */
  addressOf(timer: TimerRow): ActorAddress | null;
  /** Puts a command into its mailbox; `done` is called with its reply. False: there is no room. */
  deliver(envelope: Envelope, done: () => void): boolean;
  /** Told when timers can not be read, and when they can be again. */
  problems: Pick<Problems, 'began' | 'ended'>;
}

/** The longest wait, in ms: a wall clock that was set is noticed after it. */
const longestWait = 30_000;
const timersPerRound = 256;
/** A timer command has nobody waiting: it may take as long as the mailbox is full. */
const patience = 60_000;
/** Wait after a full mailbox, in ms. */
const refusedDelay = 50;
/** Wait after a look that found only timers of actors that are not stored, in ms. */
const orphanedDelay = 1_000;
/** Wait after timers could not be read, in ms. */
const unreadDelay = 1_000;

/**
 * Fires durable timers: each due row becomes an ordinary command of its actor. The row goes in the commit of that
 * command, so a timer that was overdue while the hub was down fires once.
 */
export class Timers {
  readonly #options: TimersOptions;
  /** Keys of timers whose command is in a mailbox. */
  readonly #underWay = new Set<number>();
  readonly #moved: MovedTimers;
  #cancel: Cancel | null = null;
  #armedFor = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: TimersOptions) {
    this.#options = options;
    this.#moved = new MovedTimers(options);
  }

  /** Looks when the next timer is due. Called at the start and after commits that set timers. Never throws. */
  arm(): void {
    if (!this.#stopped) this.#reading(() => this.#armNext());
  }

  #armNext(): void {
    const next = this.#next();
    if (next === null || next >= this.#armedFor) return;
    this.#wakeIn(Math.max(0, next - this.#options.clock.now()), next);
  }

  /** For good: the store may be closed once the commands under way are answered. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  /** The host goes on with its commands while timers can not be read. */
  #reading(work: () => void): void {
    const { problems, clock } = this.#options;
    try {
      this.#moved.look();
      work();
      problems.ended('timers');
    } catch (error) {
      problems.began('timers', reasonOf(error));
      this.#wakeIn(unreadDelay, clock.now());
    }
  }

  /** When the next timer is due (epoch ms), null without one. */
  #next(): number | null {
    const stored = this.#options.store.nextTimer(this.#options.owned());
    const moved = this.#moved.next;
    return stored === null || moved === null ? (stored ?? moved) : Math.min(stored, moved);
  }

  #wakeIn(delay: number, due: number): void {
    this.#cancel?.();
    this.#armedFor = due;
    this.#cancel = this.#options.clock.schedule(Math.min(delay, longestWait), () => this.#reading(() => this.#fire()));
  }

  #fire(): void {
    this.#cancel = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.now();
    const { store, addressOf, deliver } = this.#options;
    const owned = this.#options.owned();
    let refused = false;
    let delivered = false;
    const handled = new Set<number>();
    const stored = store.dueTimers(owned, now, timersPerRound + this.#underWay.size);
    for (const timer of [...this.#moved.due(now), ...stored]) {
      handled.add(timer.key);
      if (this.#underWay.has(timer.key)) continue;
      const actor = addressOf(timer);
      if (actor === null) continue;
      this.#underWay.add(timer.key);
      if (!deliver(envelopeOf(timer, actor, now), () => this.#settled(timer.key))) {
        this.#underWay.delete(timer.key);
        handled.delete(timer.key);
        refused = true;
        break;
      }
      delivered = true;
    }
    this.#moved.forget(handled);
    // While due timers are under way the earliest due time lies in the past: their commit arms anew.
    if (refused) this.#wakeIn(refusedDelay, now);
    else if (this.#underWay.size > 0) return;
    // What is due has no actor: looking again at once would never end.
    else if (!delivered && (this.#next() ?? now + 1) <= now) this.#wakeIn(orphanedDelay, now);
    else this.#armNext();
  }

  #settled(key: number): void {
    this.#underWay.delete(key);
    if (this.#underWay.size === 0) this.arm();
  }
}

const envelopeOf = ({ key, subject, name }: TimerRow, actor: ActorAddress, now: number): Envelope => ({
  commandId: uuidV5(namespaces.command, 'timer', String(key)),
  actor,
  type: runtimeCommands.timerFired,
  body: { key, subject, name },
  now,
  deadline: now + patience,
  cause: `timer ${name}`,
});
