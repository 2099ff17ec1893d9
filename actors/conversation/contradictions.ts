import type { Contradictions, OwnedState } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { deliveryStateOf } from './delivery.ts';

/** What conversations and their messages show against each other. */
export const conversationContradictions = (db: Connection): Contradictions => ({
  *rows() {
    yield* shownStates(db);
    yield* counters(db);
    yield* echoes(db);
  },
});

function* shownStates(db: Connection): Iterable<string> {
  const rows = db.prepare('SELECT key, state, delivery FROM message WHERE delivery IS NOT NULL').iterate();
  for (const raw of rows) {
    const { key, state, delivery } = raw as { key: number; state: string; delivery: string };
    const meant = deliveryStateOf((JSON.parse(delivery) as OwnedState).value);
    if (state !== meant) yield `message ${key}: it shows ${state}, its delivery ${meant}`;
  }
}

function* counters(db: Connection): Iterable<string> {
  const rows = db
    .prepare(
      `SELECT c.key, unread_count, context, messages, (SELECT count(*) FROM message m WHERE m.conversation = c.key) AS found
       FROM conversation c`,
    )
    .iterate();
  for (const raw of rows) {
    const row = raw as { key: number; unread_count: number; context: string; messages: number; found: number };
    const { unread } = JSON.parse(row.context) as { unread: number };
    if (row.unread_count !== unread)
      yield `conversation ${row.key}: it shows ${row.unread_count} unread, not ${unread}`;
    if (row.messages !== row.found)
      yield `conversation ${row.key}: it shows ${row.messages} messages, not ${row.found}`;
  }
}

/** A wait for echoes that nothing is kept for, or the other way round. */
function* echoes(db: Connection): Iterable<string> {
  const rows = db
    .prepare(
      `SELECT c.key, c.value ->> 'echoes' = 'parked' AS waits,
         EXISTS (SELECT 1 FROM parked_echo e WHERE e.actor = c.key) AS kept
       FROM conversation c WHERE waits <> kept`,
    )
    .iterate();
  for (const raw of rows) {
    const { key, kept } = raw as { key: number; kept: number };
    yield `conversation ${key}: it ${kept === 1 ? 'keeps echoes without a wait' : 'waits for echoes that it does not keep'}`;
  }
}
