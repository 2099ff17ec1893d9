import type { HostStore } from '../store/host-store.ts';
import type { Envelope, ActorKind } from './envelope.ts';
import { runtimeCommands } from './command-handling.ts';
import type { Cancel, Clock } from '../ports.ts';
import { namespaces } from '../ids.ts';
import { uuidV5 } from '../uuid.ts';

/** Node's timers can not wait longer than this. */
const longestWait = 2 ** 31 - 1;
const timersPerRound = 256;
/** A timer command has nobody waiting: it may take as long as the mailbox is full. */
const patience = 60_000;

/**
 * Fires durable timers: each due row becomes an ordinary command of its actor. The row goes in the commit of that
 * command, so a timer that was overdue while the hub was down fires once.
 */
export class Timers {
  readonly #store: HostStore;
  readonly #clock: Clock;
  readonly #deliver: (envelope: Envelope, done: () => void) => boolean;
  /** Keys of timers whose command is in a mailbox. */
  readonly #underWay = new Set<number>();
  #cancel: Cancel | null = null;
  #armedFor = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(store: HostStore, clock: Clock, deliver: (envelope: Envelope, done: () => void) => boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#deliver = deliver;
  }

  /** Looks when the next timer is due. Called at the start and after commits that set timers. */
  arm(): void {
    if (this.#stopped) return;
    const next = this.#store.nextTimer();
    if (next === null || next >= this.#armedFor) return;
    this.#wakeIn(Math.max(0, next - this.#clock.now()), next);
  }

  /** For good: the store may be closed once the commands under way are answered. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #wakeIn(delay: number, due: number): void {
    this.#cancel?.();
    this.#armedFor = due;
    this.#cancel = this.#clock.schedule(Math.min(delay, longestWait), () => this.#fire());
  }

  #fire(): void {
    this.#cancel = null;
    this.#armedFor = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    let refused = false;
    for (const timer of this.#store.dueTimers(now, timersPerRound + this.#underWay.size)) {
      if (this.#underWay.has(timer.key)) continue;
      const actor = this.#store.reads.actorByKey(timer.actor);
      if (actor === null) continue;
      this.#underWay.add(timer.key);
      const envelope: Envelope = {
        commandId: uuidV5(namespaces.command, 'timer', String(timer.key)),
        actor: { kind: actor.kind as ActorKind, id: actor.id },
        type: runtimeCommands.timerFired,
        body: { key: timer.key, subject: timer.subject, name: timer.name },
        now,
        deadline: now + patience,
        cause: `timer ${timer.name}`,
      };
      if (!this.#deliver(envelope, () => this.#settled(timer.key))) {
        this.#underWay.delete(timer.key);
        refused = true;
        break;
      }
    }
    // While due timers are under way the earliest due time lies in the past: their commit arms anew.
    if (refused) this.#wakeIn(50, now);
    else if (this.#underWay.size === 0) this.arm();
  }

  #settled(key: number): void {
    this.#underWay.delete(key);
    if (this.#underWay.size === 0) this.arm();
  }
}
