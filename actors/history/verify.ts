import { type MachineId, registry } from '#machines/registry.ts';
import { initial, type Snapshot, stepSnapshot } from '#machines/step.ts';
import type { OwnedState } from '../runtime/definition.ts';
import { stateHash } from '../runtime/command-runtime.ts';
import { type Connection, openForReading } from '../store/database.ts';

/** What a check of a data file found. `problems` empty: its invariants hold. */
export interface Verification {
  actors: number;
  messages: number;
  deliveries: number;
  steps: number;
  events: number;
  problems: string[];
}

interface StepRow {
  subject: number;
  machine: string;
  revision: number;
  event: string;
  machine_version: number;
  hash: string;
}

interface StoredRow {
  subject: number;
  machine: string;
  value: unknown;
  context: unknown;
  revision: number;
}

/**
 * Checks the invariants that a data file shows by itself (architecture.md, "Invariants"): the history of every state
 * machine folds to its stored state, and the events of every subject are numbered without gap or repeat.
 */
export function verifyFile(file: string): Verification {
  const db = openForReading(file);
  try {
    const verification: Verification = { actors: 0, messages: 0, deliveries: 0, steps: 0, events: 0, problems: [] };
    verifyActors(db, verification);
    verifyMessages(db, verification);
    verifyDeliveries(db, verification);
    verifyFeed(db, verification);
    return verification;
  } finally {
    db.close();
  }
}

function verifyActors(db: Connection, verification: Verification): void {
  const rows = db.prepare('SELECT key, kind, revision, value, context FROM actor').iterate() as Iterable<{
    key: number;
    kind: string;
    revision: number;
    value: string;
    context: string;
  }>;
  const history = historyQuery(db);
  for (const row of rows) {
    verification.actors++;
    if (!(row.kind in registry)) continue;
    const value = JSON.parse(row.value) as unknown;
    const context = JSON.parse(row.context) as unknown;
    fold(
      history(row.key),
      { subject: row.key, machine: row.kind, value, context, revision: row.revision },
      verification,
    );
  }
}

function verifyMessages(db: Connection, verification: Verification): void {
  const rows = db.prepare('SELECT key, state, delivery FROM message').iterate() as Iterable<{
    key: number;
    state: string;
    delivery: string | null;
  }>;
  const history = historyQuery(db);
  for (const row of rows) {
    verification.messages++;
    if (row.delivery === null) continue;
    const { value, context, revision } = JSON.parse(row.delivery) as OwnedState;
    fold(history(row.key), { subject: row.key, machine: 'message-delivery', value, context, revision }, verification);
    const shown = typeof value === 'string' ? value : 'pending';
    if (shown !== row.state) verification.problems.push(`message ${row.key} shows ${row.state}, its delivery ${shown}`);
  }
}

function verifyDeliveries(db: Connection, verification: Verification): void {
  const rows = db.prepare('SELECT key, status, ready, machine FROM webhook_delivery').iterate() as Iterable<{
    key: number;
    status: string;
    ready: number;
    machine: string | null;
  }>;
  const history = historyQuery(db);
  for (const row of rows) {
    verification.deliveries++;
    if (row.machine === null) continue;
    const { value, context, revision } = JSON.parse(row.machine) as OwnedState;
    fold(history(row.key), { subject: row.key, machine: 'webhook-delivery', value, context, revision }, verification);
    const shown = `${row.status} ${row.ready === 1}`;
    const { scheduled } = typeof value === 'string' ? {} : (value as { scheduled: string });
    const meant = scheduled === undefined ? `${value} true` : `scheduled ${scheduled === 'due'}`;
    if (shown !== meant) verification.problems.push(`delivery ${row.key} shows ${shown}, its machine ${meant}`);
  }
}

function historyQuery(db: Connection): (subject: number) => StepRow[] {
  const statement = db.prepare('SELECT * FROM history WHERE subject = ? ORDER BY revision');
  return (subject) => statement.all(subject) as StepRow[];
}

/** Runs a subject's steps again, from the machine's first state. */
function fold(steps: StepRow[], stored: StoredRow, verification: Verification): void {
  const { problems } = verification;
  const name = `${stored.machine} ${stored.subject}`;
  const machine = stored.machine as MachineId;
  let snapshot: Snapshot = initial(machine).snapshot;
  for (const [i, step] of steps.entries()) {
    verification.steps++;
    if (step.revision !== i + 1) problems.push(`${name}: step ${i + 1} has revision ${step.revision}`);
    // Older versions of a machine can not be run again; their states were migrated.
    if (step.machine_version !== registry[machine].version) return;
    const event = JSON.parse(step.event) as { type: string };
    if (event.type !== 'xstate.init') snapshot = stepSnapshot(machine, snapshot, event).snapshot;
    if (stateHash(snapshot) !== step.hash) problems.push(`${name}: revision ${step.revision} folds to another state`);
  }
  if (steps.length !== stored.revision) problems.push(`${name}: ${steps.length} steps, revision ${stored.revision}`);
  if (stateHash(snapshot) !== stateHash(stored))
    problems.push(`${name}: the history folds to another state than stored`);
}

function verifyFeed(db: Connection, verification: Verification): void {
  const rows = db
    .prepare(
      `SELECT f.subject AS subject, count(*) AS events, min(f.seq) AS first, max(f.seq) AS last, a.seq AS counter
       FROM feed f JOIN actor a ON a.key = f.subject GROUP BY f.subject`,
    )
    .iterate() as Iterable<{ subject: number; events: number; first: number; last: number; counter: number }>;
  for (const { subject, events, first, last, counter } of rows) {
    verification.events += events;
    if (last - first + 1 !== events)
      verification.problems.push(`subject ${subject}: a gap between seq ${first} and ${last}`);
    if (last !== counter)
      verification.problems.push(`subject ${subject}: its last event is ${last}, its counter ${counter}`);
  }
  const disorder = db
    .prepare(
      'SELECT count(*) FROM feed a JOIN feed b ON b.subject = a.subject AND b.seq = a.seq + 1 WHERE b.key < a.key',
    )
    .pluck()
    .get() as number;
  if (disorder > 0) verification.problems.push(`${disorder} events stand before an earlier one of their subject`);
}
