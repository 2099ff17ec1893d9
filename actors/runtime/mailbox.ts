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
  commandsPerActor: number;
}

/** Bounds of docs/architecture.md, "Limits and back-pressure". */
export const defaultMailboxLimits: MailboxLimits = { commands: 4096, bytes: 16 * 1024 * 1024, commandsPerActor: 256 };

/**
 * The commands waiting for one shard, a queue for each actor. Taking goes round the actors, so that a hot conversation
 * does not starve its shard; the order within an actor is the order of arrival.
 */
export class Mailbox {
  readonly #limits: MailboxLimits;
  /** Insertion order is the order of serving: an actor that was served goes to the end. */
  readonly #queues = new Map<string, Queued[]>();
  #commands = 0;
  #bytes = 0;

  constructor(limits: MailboxLimits = defaultMailboxLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#commands;
  }

  /** False when the mailbox of the shard or of the actor is full: nothing was taken. */
  offer(queued: Queued): boolean {
    if (this.#commands >= this.#limits.commands || this.#bytes + queued.size > this.#limits.bytes) return false;
    const { kind, id } = queued.envelope.actor;
    const key = `${kind} ${id}`;
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, [queued]);
    } else {
      if (queue.length >= this.#limits.commandsPerActor) return false;
      queue.push(queued);
    }
    this.#commands++;
    this.#bytes += queued.size;
    return true;
  }

  /** Takes at most `commands` and about `bytes` (always one command when there is one), one from each actor in turn. */
  take(commands: number, bytes: number): Queued[] {
    const taken: Queued[] = [];
    let size = 0;
    while (this.#commands > 0 && taken.length < commands) {
      for (const [key, queue] of this.#queues) {
        if (taken.length >= commands) break;
        const next = queue[0]!;
        if (taken.length > 0 && size + next.size > bytes) return taken;
        queue.shift();
        this.#queues.delete(key);
        if (queue.length > 0) this.#queues.set(key, queue);
        taken.push(next);
        size += next.size;
        this.#commands--;
        this.#bytes -= next.size;
      }
    }
    return taken;
  }
}
