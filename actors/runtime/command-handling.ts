import { type MachineId, registry } from '#machines/registry.ts';
import { migrate } from '#machines/migrate.ts';
import { initial, restore } from '#machines/step.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/tables.ts';
import type { Activations, ActiveActor } from './activation.ts';
import { CommandRuntime } from './command-runtime.ts';
import type { ActorDefinition } from './definition.ts';
import type { ActorKind, Envelope, Reply } from './envelope.ts';
import { Failure } from '../errors.ts';
import type { Shard } from './shard.ts';

/** The definition of every kind. */
export type ActorDefinitions = Record<ActorKind, ActorDefinition>;

/** Commands that the runtime itself answers, for every kind of actor. */
export const runtimeCommands = { timerFired: 'timer.fired', redrive: 'dead-letter.redrive' } as const;

/** What handling a command came to: the reply, once its changes are committed. */
export interface Handled {
  reply: Reply;
  changes: Change[];
  /** The handler threw something that is not a `Failure`. */
  poison: boolean;
}

interface TimerFired {
  key: number;
  subject: number;
  name: string;
}

/** Turns one command into a reply and row changes. Reads the store, writes nothing. */
export class CommandHandling {
  readonly #store: HostStore;
  readonly #definitions: ActorDefinitions;
  readonly #activations: Activations;

  constructor(store: HostStore, definitions: ActorDefinitions, activations: Activations) {
    this.#store = store;
    this.#definitions = definitions;
    this.#activations = activations;
  }

  /** @throws nothing for what a handler does; an I/O error of the store passes through */
  handle(envelope: Envelope, shard: Shard): Handled {
    const answered = this.#store.answered(envelope.commandId);
    if (answered !== null) {
      return { reply: { ...(JSON.parse(answered) as Reply), replayed: true }, changes: [], poison: false };
    }
    try {
      const definition = this.#definitions[envelope.actor.kind];
      const actor = this.#activate(definition, envelope, shard);
      const runtime = new CommandRuntime(actor, definition.machine, envelope, this.#store.reads, shard.counters);
      const result = this.#dispatch(definition, runtime, envelope);
      runtime.finish();
      return this.#answered(envelope, shard, runtime.changes, { ok: true, result: result ?? null }, false);
    } catch (error) {
      // Its memory may be half changed.
      this.#activations.drop(envelope.actor.kind, envelope.actor.id);
      if (isIoError(error)) throw error;
      // A timer has nobody who could be refused something: its failure is a defect.
      if (error instanceof Failure && envelope.type !== runtimeCommands.timerFired) {
        return this.#answered(envelope, shard, [], { ok: false, failure: error.toData() }, false);
      }
      return this.#poisoned(envelope, shard, error);
    }
  }

  /** The answer of a command whose changes turned out not to fit the store: a defect, found while applying. */
  unappliable(envelope: Envelope, shard: Shard, error: unknown): Handled {
    this.#activations.drop(envelope.actor.kind, envelope.actor.id);
    return this.#poisoned(envelope, shard, error);
  }

  #dispatch(definition: ActorDefinition, runtime: CommandRuntime, envelope: Envelope): unknown {
    if (envelope.type === runtimeCommands.timerFired) {
      this.#fireTimer(definition, runtime, envelope.body as TimerFired, false);
      return null;
    }
    if (envelope.type === runtimeCommands.redrive) return this.#redrive(definition, runtime, envelope);
    const handler = Object.hasOwn(definition.handlers, envelope.type) ? definition.handlers[envelope.type] : undefined;
    if (!handler) throw new Error(`A ${definition.kind} has no command ${envelope.type}.`);
    return handler(runtime, envelope.body as never);
  }

  #fireTimer(definition: ActorDefinition, runtime: CommandRuntime, fired: TimerFired, redriven: boolean): void {
    const timer = this.#store.reads.timer(fired.subject, fired.name);
    // Cancelled after it was taken, or set anew: that timer's own time will come. The row of a dead letter's is gone.
    if (redriven ? timer !== null : timer?.key !== fired.key) return;
    const event = { type: fired.name };
    if (definition.onTimer) definition.onTimer(runtime, fired.subject, event);
    else runtime.step(event);
    const gone = runtime.changes.some((c) => c.table === 'timer' && c.op === 'delete' && c.key === fired.key);
    if (!gone) runtime.change({ table: 'timer', op: 'delete', key: fired.key });
  }

  #redrive(definition: ActorDefinition, runtime: CommandRuntime, envelope: Envelope): unknown {
    const { commandId } = envelope.body as { commandId: string };
    const letter = this.#store.deadLetter(commandId);
    if (letter === null) throw new Failure('not_found', `There is no dead letter with the command id ${commandId}.`);
    if (letter.redriven_at !== null) return null;
    const original = JSON.parse(letter.envelope) as Envelope;
    const again = { ...original, now: envelope.now };
    const result =
      original.type === runtimeCommands.timerFired
        ? this.#fireTimer(definition, runtime, original.body as TimerFired, true)
        : this.#dispatch(definition, runtime, again);
    runtime.change({ table: 'dead_letter', op: 'update', key: letter.key, row: { redriven_at: envelope.now } });
    return result;
  }

  #answered(envelope: Envelope, shard: Shard, changes: Change[], reply: Reply, poison: boolean): Handled {
    changes.push({
      table: 'inbox',
      op: 'insert',
      row: {
        key: shard.counters.takeKey(),
        command_id: envelope.commandId,
        at: envelope.now,
        reply: JSON.stringify(reply),
      },
    });
    return { reply, changes, poison };
  }

  #poisoned(envelope: Envelope, shard: Shard, error: unknown): Handled {
    const changes: Change[] = [];
    // A redriven letter that fails again stays the letter it was.
    if (envelope.type !== runtimeCommands.redrive) changes.push(this.#letter(envelope, shard, error));
    // Left in place, the timer would fire again at once, for ever.
    if (envelope.type === runtimeCommands.timerFired) {
      changes.push({ table: 'timer', op: 'delete', key: (envelope.body as TimerFired).key });
    }
    const message = `The hub could not handle this command; it is kept as dead letter ${envelope.commandId}.`;
    return this.#answered(envelope, shard, changes, { ok: false, failure: { code: 'internal', message } }, true);
  }

  #letter(envelope: Envelope, shard: Shard, error: unknown): Change {
    const { kind, id } = envelope.actor;
    const said = {
      actor_revision: this.#store.reads.actor(kind, id)?.revision ?? 0,
      envelope: JSON.stringify(envelope),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      at: envelope.now,
      redriven_at: null,
    };
    // The inbox forgets command ids in time, the letters do not: there is one letter for a command id.
    const before = this.#store.deadLetter(envelope.commandId);
    if (before !== null) return { table: 'dead_letter', op: 'update', key: before.key, row: said };
    const key = shard.counters.takeKey();
    const row = { key, command_id: envelope.commandId, actor_kind: kind, actor_id: id, ...said };
    return { table: 'dead_letter', op: 'insert', row };
  }

  #activate(definition: ActorDefinition, envelope: Envelope, shard: Shard): ActiveActor {
    const { kind, id } = envelope.actor;
    const active = this.#activations.get(kind, id);
    if (active !== null) return active;
    const { reads } = this.#store;
    const row = reads.actor(kind, id);
    const key = row?.key ?? shard.counters.takeKey();
    const stored =
      row === null
        ? null
        : {
            machineVersion: row.machine_version,
            value: JSON.parse(row.value) as unknown,
            context: JSON.parse(row.context) as unknown,
          };
    const actor: ActiveActor = {
      key,
      kind,
      id,
      isNew: row === null,
      revision: row?.revision ?? 0,
      seq: row?.seq ?? 0,
      snapshot: definition.machine === null ? null : snapshotOf(definition.machine, stored),
      memory: definition.load(reads, key),
    };
    this.#activations.keep(actor);
    return actor;
  }
}

function snapshotOf(machine: MachineId, stored: Parameters<typeof migrate>[1] | null): ActiveActor['snapshot'] {
  if (stored === null) return initial(machine).snapshot;
  return restore(machine, registry[machine].version === stored.machineVersion ? stored : migrate(machine, stored));
}

/** What SQLite says about a statement or its values, whatever the state of the disk. */
const statementErrors = /^SQLITE_(CONSTRAINT|MISMATCH|ERROR|RANGE|TOOBIG|MISUSE)/;

/** Whether the store itself failed (disk full, I/O, locked), as against a statement: then no command can be trusted. */
export function isIoError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_') && !statementErrors.test(code);
}
