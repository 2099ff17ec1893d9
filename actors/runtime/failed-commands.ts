import type { Failure } from '../errors.ts';
import type { RowDigests } from '../journal/row-digest.ts';
import { packRows, turnHash } from '../journal/turn.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/table.ts';
import { deadLetters, journal, type JournalRow, timers } from '../store/tables.ts';
import type { Envelope, Reply } from './envelope.ts';
import { type Handled, noSignals } from './handled.ts';
import { runtimeCommands, type TimerFired } from './runtime-commands.ts';
import type { Shard } from './shard.ts';

/** What is answered and kept of commands that have changed nothing: refusals, and dead letters of defects. */
export class FailedCommands {
  readonly #store: HostStore;
  readonly #digests: RowDigests;

  constructor(store: HostStore, digests: RowDigests) {
    this.#store = store;
    this.#digests = digests;
  }

  /** @param remembers whether a repetition must get the same answer from the journal */
  refused(envelope: Envelope, shard: Shard, failure: Failure, remembers: boolean): Handled {
    const reply: Reply = { ok: false, failure: failure.toData() };
    const changes = remembers ? [journal.insert(ownerless(envelope, shard, JSON.stringify(reply), null))] : [];
    return { reply, changes, signals: noSignals, poison: false };
  }

  /** @param revision of the actor, as it is stored */
  poisoned(envelope: Envelope, shard: Shard, error: unknown, revision: number): Handled {
    const message = `The hub could not handle this command; it is kept as dead letter ${envelope.commandId}.`;
    const reply: Reply = { ok: false, failure: { code: 'internal', message } };
    const changes: Change[] = [];
    // A redriven letter that fails again stays the letter it was.
    if (envelope.type !== runtimeCommands.redrive) changes.push(this.#letter(envelope, shard, error, reply, revision));
    // Left in place, the timer would fire again at once, for ever.
    if (envelope.type === runtimeCommands.timerFired) {
      const { key, subject, name } = envelope.body as TimerFired;
      if (this.#store.timer(subject, name)?.key === key) changes.push(timers.remove(key));
    }
    const others = this.#digests.changesOf(changes);
    if (others.length > 0)
      changes.push(journal.insert(ownerless(envelope, shard, null, packRows({ own: null, others }))));
    // Whoever waits for what it was to do looks again, though no event tells it.
    return { reply, changes, signals: new Set(['feed']), poison: true };
  }

  #letter(envelope: Envelope, shard: Shard, error: unknown, reply: Reply, revision: number): Change {
    const { kind, id } = envelope.actor;
    const said = {
      actor_revision: revision,
      envelope: JSON.stringify(envelope),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      at: envelope.now,
      redriven_at: null,
      answer: JSON.stringify(reply),
    };
    // There is one letter for a command id, however often it fails.
    const before = this.#store.deadLetter(envelope.commandId);
    if (before !== null) return deadLetters.update(before.key, said);
    const key = shard.counters.takeKey();
    return deadLetters.insert({ key, command_id: envelope.commandId, actor_kind: kind, actor_id: id, ...said });
  }
}

/** The journal's row of a refused or poisoned command: in nobody's chain. `answer`: kept for its repetition. */
function ownerless(
  { actor, type, cause, commandId, now }: Envelope,
  shard: Shard,
  answer: string | null,
  rows: string | null,
): JournalRow {
  const turn = {
    key: shard.counters.turn,
    kind: actor.kind,
    actor: 0,
    previous: 0,
    skip: null,
    at: now,
    type,
    cause,
    command: commandId,
    steps: null,
    events: null,
    answer,
    rows,
  };
  shard.counters.takePositions(1);
  return { ...turn, hash: turnHash('', turn) };
}
