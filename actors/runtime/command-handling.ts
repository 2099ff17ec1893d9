import { registry } from '#machines/registry.ts';
import { initial, restore } from '#machines/step.ts';
import { Failure } from '../errors.ts';
import { RowDigests, tablesOfTurns } from '../journal/row-digest.ts';
import { parseJson } from '../json.ts';
import type { HostStore } from '../store/host-store.ts';
import { isIoError } from '../store/io-error.ts';
import type { RowQuery } from '../store/table.ts';
import { type ActorRow, deadLetters, outbox, timers } from '../store/tables.ts';
import { uuidToBytes } from '../uuid.ts';
import type { Activations, ActiveActor } from './activation.ts';
import type { ActorAddress, Envelope, Reply } from './envelope.ts';
import { FailedCommands } from './failed-commands.ts';
import { type Handled, noSignals } from './handled.ts';
import type { AnyKind } from './kind.ts';
import { isOfRuntime, runtimeCommands, type TimerFired } from './runtime-commands.ts';
import type { Shard } from './shard.ts';
import { TurnRuntime } from './turn-runtime.ts';

/** A kind with its prepared reads. */
interface Ready {
  kind: AnyKind;
  reads: unknown;
  byId: RowQuery<ActorRow>;
  byKey: RowQuery<ActorRow>;
}

/** Turns one command into a reply and row changes. Reads the store, writes nothing. */
export class CommandHandling {
  readonly #store: HostStore;
  readonly #kinds: ReadonlyMap<string, Ready>;
  readonly #activations: Activations;
  readonly #digests: RowDigests;
  readonly #failed: FailedCommands;

  constructor(store: HostStore, kinds: readonly AnyKind[], activations: Activations) {
    this.#store = store;
    this.#kinds = new Map(
      kinds.map((kind) => [
        kind.name,
        store.prepare((db) => ({
          kind,
          reads: kind.reads(db),
          byId: kind.table.query(db, 'WHERE id = ?'),
          byKey: kind.table.query(db, 'WHERE key = ?'),
        })),
      ]),
    );
    this.#activations = activations;
    this.#digests = store.prepare((db) => new RowDigests(db, tablesOfTurns(kinds)));
    this.#failed = new FailedCommands(store, this.#digests);
  }

  /** @throws nothing for what a handler does; an I/O error of the store passes through */
  handle(envelope: Envelope, shard: Shard): Handled {
    const ready = this.#kinds.get(envelope.actor.kind)!;
    const remembers = !isOfRuntime(envelope.type) && !isRecognised(ready.kind, envelope.type);
    if (remembers) {
      const answered = this.#remembered(envelope);
      if (answered !== null) return answered;
    }
    try {
      const actor = this.#activate(ready, envelope, shard);
      const { counters } = shard;
      const { kind, reads } = ready;
      const runtime = new TurnRuntime(actor, kind, handledAs(envelope), this.#store, reads, counters, this.#digests);
      runtime.migrate();
      const result = this.#dispatch(ready.kind, runtime, envelope, envelope.type);
      const reply: Reply = { ok: true, result: result ?? null };
      const { changes, signals } = runtime.end(remembers ? JSON.stringify(reply) : null);
      this.#activations.keep(actor);
      return { reply, changes, signals, poison: false };
    } catch (error) {
      // Its memory may be half changed.
      this.#activations.drop(envelope.actor.kind, envelope.actor.id);
      if (isIoError(error)) throw error;
      // Timers and effects have nobody who could be refused something: a failure of theirs is a defect.
      const isRefusal =
        error instanceof Failure && (!isOfRuntime(envelope.type) || envelope.type === runtimeCommands.redrive);
      return isRefusal
        ? this.#failed.refused(envelope, shard, error, remembers)
        : this.#poisoned(envelope, shard, error);
    }
  }

  /** What was answered when the command was handled before, for one that must not be handled any more; null: it was not. */
  answered(envelope: Envelope): Reply | null {
    const { kind, reads, byId } = this.#kinds.get(envelope.actor.kind)!;
    const recognise = isRecognised(kind, envelope.type) ? kind.recognised?.[envelope.type] : undefined;
    if (recognise === undefined) return this.#remembered(envelope)?.reply ?? null;
    const row = byId.get(uuidToBytes(envelope.actor.id));
    if (row === null) return null;
    const result = recognise(reads, row, envelope.body, envelope.commandId);
    return result === null ? null : { ok: true, result };
  }

  /** The answer of a command whose changes turned out not to fit the store: a defect, found while applying. */
  unappliable(envelope: Envelope, shard: Shard, error: unknown): Handled {
    this.#activations.drop(envelope.actor.kind, envelope.actor.id);
    return this.#poisoned(envelope, shard, error);
  }

  #poisoned(envelope: Envelope, shard: Shard, error: unknown): Handled {
    const { kind, id } = envelope.actor;
    const revision = this.#kinds.get(kind)!.byId.get(uuidToBytes(id))?.revision ?? 0;
    return this.#failed.poisoned(envelope, shard, error, revision);
  }

  /** An actor's address by its key; null for one that is not stored. */
  addressOf(kind: string, key: number): ActorAddress | null {
    const row = this.#kinds.get(kind)?.byKey.get(key) ?? null;
    return row === null ? null : { kind, id: row.id };
  }

  #remembered(envelope: Envelope): Handled | null {
    const answer = this.#store.answered(envelope.commandId);
    if (answer === null) return null;
    return {
      reply: { ...(parseJson(answer) as Reply), replayed: true },
      changes: [],
      signals: noSignals,
      poison: false,
    };
  }

  #dispatch(kind: AnyKind, runtime: TurnRuntime, envelope: Envelope, type: string): unknown {
    switch (type) {
      case runtimeCommands.timerFired:
        this.#fireTimer(kind, runtime, envelope.body as TimerFired, false);
        return null;
      case runtimeCommands.effectDone:
        this.#endEffect(runtime, envelope.body as { key: number });
        return null;
      case runtimeCommands.forgetLetter:
        this.#forgetLetter(runtime, envelope.body as { commandId: string });
        return null;
      case runtimeCommands.redrive:
        return this.#redrive(kind, runtime, envelope);
    }
    const handler = Object.hasOwn(kind.handlers, type) ? kind.handlers[type] : undefined;
    if (!handler) throw new Error(`A ${kind.name} has no command ${type}.`);
    return handler(runtime as never, envelope.body as never);
  }

  #fireTimer(kind: AnyKind, runtime: TurnRuntime, fired: TimerFired, redriven: boolean): void {
    const timer = this.#store.timer(fired.subject, fired.name);
    // Cancelled after it was taken, or set anew: that timer's own time will come. The row of a dead letter's is gone.
    if (redriven ? timer !== null : timer?.key !== fired.key) return;
    const event = { type: fired.name };
    if (kind.onTimer) kind.onTimer(runtime as never, fired.subject, event);
    else runtime.step(event);
    const gone = runtime.changes.some((c) => timers.is(c) && c.op === 'delete' && c.key === fired.key);
    if (!gone && !redriven) runtime.change(timers.remove(fired.key));
  }

  /** What an actor had told another is answered. */
  #endEffect(runtime: TurnRuntime, { key }: { key: number }): void {
    if (this.#store.effect(key) !== null) runtime.change(outbox.remove(key));
  }

  /** A letter that was mended is not needed any more. It may be gone already: retention asks until it is. */
  #forgetLetter(runtime: TurnRuntime, { commandId }: { commandId: string }): void {
    const letter = this.#store.deadLetter(commandId);
    if (letter !== null && letter.redriven_at !== null) runtime.change(deadLetters.remove(letter.key));
  }

  /** Handles a dead letter again; its command has the new answer from then on. */
  #redrive(kind: AnyKind, runtime: TurnRuntime, envelope: Envelope): unknown {
    const { commandId } = envelope.body as { commandId: string };
    const letter = this.#store.deadLetter(commandId);
    if (letter === null) throw new Failure('not_found', `There is no dead letter with the command id ${commandId}.`);
    if (letter.redriven_at !== null) return null;
    const original = parseJson(letter.envelope) as Envelope;
    const again = { ...original, now: envelope.now };
    const fired = original.type === runtimeCommands.timerFired;
    if (fired) this.#fireTimer(kind, runtime, original.body as TimerFired, true);
    const result = fired ? null : this.#dispatch(kind, runtime, again, original.type);
    const answer: Reply = { ok: true, result: result ?? null };
    runtime.change(deadLetters.update(letter.key, { redriven_at: envelope.now, answer: JSON.stringify(answer) }));
    return result;
  }

  #activate({ kind, reads, byId }: Ready, envelope: Envelope, shard: Shard): ActiveActor {
    const { id } = envelope.actor;
    const active = this.#activations.get(kind.name, id);
    if (active !== null) return active;
    const stored = byId.get(uuidToBytes(id));
    const row = stored ?? newRow(kind, id, shard.counters.takeKey());
    const current = kind.machine !== null && row.machine_version === registry[kind.machine].version;
    return {
      kind: kind.name,
      isNew: stored === null,
      row,
      // One of another version is brought to this one by the turn itself.
      snapshot: kind.machine === null || !current ? null : restore(kind.machine, parsed(row)),
      memory: kind.load(reads, row),
      size: 0,
    };
  }
}

/** What is redriven is done as if its first try had succeeded: under its own id, by which a repetition is recognised. */
function handledAs(envelope: Envelope): Envelope {
  if (envelope.type !== runtimeCommands.redrive) return envelope;
  return { ...envelope, commandId: (envelope.body as { commandId: string }).commandId };
}

const isRecognised = ({ recognised }: AnyKind, type: string): boolean =>
  recognised !== undefined && Object.hasOwn(recognised, type);

const parsed = ({ value, context }: ActorRow): { value: unknown; context: unknown } => ({
  value: JSON.parse(value) as unknown,
  context: JSON.parse(context) as unknown,
});

function newRow({ machine, blank }: AnyKind, id: string, key: number): ActorRow {
  const first = machine === null ? { value: null, context: null } : initial(machine).snapshot;
  return {
    key,
    id,
    revision: 0,
    seq: 0,
    turns: 0,
    last_turn: 0,
    skip_turn: 0,
    chain: '',
    machine_version: machine === null ? 0 : registry[machine].version,
    value: JSON.stringify(first.value),
    context: JSON.stringify(first.context),
    ...blank,
  };
}
