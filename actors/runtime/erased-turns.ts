import { packEvents, packSteps, type TurnEvent, unpackEvents, unpackSteps } from '../journal/turn.ts';
import type { Json } from '../representation.ts';
import type { HostStore } from '../store/host-store.ts';
import type { Change } from '../store/table.ts';
import { bases, deadLetters, journal, type JournalRow } from '../store/tables.ts';
import type { Envelope, Reply } from './envelope.ts';

/** What stays of what an actor's turns tell. */
export interface Redaction {
  /** Of the data of an event that the turn with this key told. Its type and number always stay. */
  event(event: TurnEvent, turn: number): Json;
  /** Whether the machine that a row (by its key) had is forgotten, with all its steps: the row has none any more. */
  forgets(subject: number): boolean;
}

/** Turns that are looked at in one turn: a few milliseconds. */
const turnsAtOnce = 256;

/** Stands for an answer that was erased. A repetition of its command still changes nothing. */
const erasedAnswer: Reply = {
  ok: false,
  failure: { code: 'not_found', message: 'This was done; what was answered has been erased since.' },
};

/** Behind the last turn: states of machines are left. */
const behindTurns = 0;

/**
 * Takes out what turns of an actor told and answered, from one on backwards, and then the states of the machines that are
 * forgotten. Their hashes stay, and with them the chain: the turn that erases says what it left of each.
 * @param actor its key
 * @param from key of the newest turn that is looked at
 * @returns the changes, and where to go on; null: everything that is kept has been looked at
 */
export function erasedTurns(
  store: Pick<HostStore, 'turn' | 'basesOf'>,
  actor: number,
  from: number,
  redaction: Redaction,
): { changes: Change[]; next: number | null } {
  if (from === behindTurns) return erasedBases(store, actor, redaction);
  const changes: Change[] = [];
  let key = from;
  for (let looked = 0; looked < turnsAtOnce && key !== behindTurns; looked++) {
    const turn = store.turn(key);
    // What retention has taken has gone already.
    if (turn === null) return { changes, next: behindTurns };
    const left = leftOf(turn, redaction);
    if (left !== null) changes.push(journal.update(key, left));
    key = turn.previous;
  }
  return { changes, next: key };
}

/** Null: it tells nothing that goes. */
function leftOf(turn: JournalRow, { event, forgets }: Redaction): Partial<JournalRow> | null {
  const told = unpackEvents(turn.events).map((each) => ({ ...each, data: event(each, turn.key) }));
  const steps = unpackSteps(turn.steps);
  const kept = steps.filter(({ subject }) => subject === 0 || !forgets(subject));
  const left = {
    events: packEvents(told),
    answer: turn.answer === null || tellsNothing(turn.answer) ? turn.answer : JSON.stringify(erasedAnswer),
    steps: kept.length === steps.length ? turn.steps : packSteps(kept),
  };
  const isSame = left.events === turn.events && left.answer === turn.answer && left.steps === turn.steps;
  return isSame ? null : left;
}

/** Whether an answer says only that the command was done: that is not a person's, and its repetition still has to hear it. */
const tellsNothing = (answer: string): boolean =>
  ['{"ok":true,"result":null}', '{"ok":true,"result":{}}'].includes(answer);

/** The machines' states before the oldest turns that are kept: no step follows on them any more. */
function erasedBases(
  store: Pick<HostStore, 'basesOf'>,
  actor: number,
  { forgets }: Redaction,
): { changes: Change[]; next: number | null } {
  const gone = store.basesOf(actor).filter(({ key }) => key !== actor && forgets(key));
  const changes = gone.slice(0, turnsAtOnce).map(({ key }) => bases.remove(key));
  return { changes, next: gone.length > turnsAtOnce ? behindTurns : null };
}

/** Takes out what commands carried that an actor could not handle. They stay known, and are not done any more. */
export function erasedLetters(
  store: Pick<HostStore, 'deadLettersOf'>,
  id: string,
  now: number,
  names: (letter: Envelope) => boolean,
): Change[] {
  return store.deadLettersOf(id).flatMap((letter) => {
    const envelope = JSON.parse(letter.envelope) as Envelope;
    if (!names(envelope)) return [];
    return deadLetters.update(letter.key, {
      envelope: JSON.stringify({ ...envelope, body: null }),
      error: 'It has been erased.',
      redriven_at: letter.redriven_at ?? now,
    });
  });
}
