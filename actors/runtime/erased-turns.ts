import { packEvents, type TurnEvent, unpackEvents } from '../journal/turn.ts';
import type { Json } from '../representation.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/table.ts';
import { journal, type JournalRow } from '../store/tables.ts';
import type { Reply } from './envelope.ts';

/** What stays of what an event told: its type and number always do. */
export type Redaction = (event: TurnEvent) => Json;

/** Turns that are looked at in one turn: a few milliseconds. */
const turnsAtOnce = 256;

/** Stands for an answer that was erased. A repetition of its command still changes nothing. */
const erasedAnswer: Reply = {
  ok: false,
  failure: { code: 'not_found', message: 'This was done; what was answered has been erased since.' },
};

/**
 * Takes out what turns of an actor told and answered, from one on backwards. Their hashes stay, and with them the chain:
 * the turn that erases says what it left of each.
 * @param from key of the newest turn that is looked at
 * @returns the changes, and the key to go on with; 0: everything that is kept has been looked at
 */
export function erasedTurns(
  store: Pick<HostStore, 'turn'>,
  from: number,
  redaction: Redaction,
): { changes: Change[]; next: number } {
  const changes: Change[] = [];
  let key = from;
  for (let looked = 0; looked < turnsAtOnce && key > 0; looked++) {
    const turn = store.turn(key);
    // What retention has taken has gone already.
    if (turn === null) return { changes, next: 0 };
    const left = leftOf(turn, redaction);
    if (left.events !== turn.events || left.answer !== turn.answer) changes.push(journal.update(key, left));
    key = turn.previous;
  }
  return { changes, next: key };
}

function leftOf({ events, answer }: JournalRow, redaction: Redaction): Pick<JournalRow, 'events' | 'answer'> {
  const told = unpackEvents(events).map((event) => ({ ...event, data: redaction(event) }));
  return { events: packEvents(told), answer: answer === null ? null : JSON.stringify(erasedAnswer) };
}
