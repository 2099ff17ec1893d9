import type { EventJson } from '#actors/representation.ts';
import type { Receipt } from './receiver.ts';

/** The most results that a dispatcher can have in hand without a record: what a crash can hide. */
const mostHidden = 1_024;

/** What the comparison of the receiver's ledger with the hub's events found. Every list empty: the promises were kept. */
export interface Judgement {
  /** Events that were never received with success. */
  missing: string[];
  /** Successes out of the order of their conversation, or a call that overtook one that had failed. */
  disordered: string[];
  /** Tries of one event under different ids, or one id for different events. */
  unstable: string[];
  /** Sent again after a success that no crash can have hidden. */
  repeated: string[];
  /** Signatures that do not fit. */
  unverified: string[];
}

export interface Counts {
  events: number;
  calls: number;
  failures: number;
  /** Sent again because a crash hid the answer. */
  hidden: number;
}

/** @param marks for each kill, the number of receipts when the hub was gone */
export function judge(receipts: readonly Receipt[], events: readonly EventJson[], marks: readonly number[]) {
  const judgement: Judgement = {
    missing: [],
    disordered: inOrder(receipts, marks),
    unstable: stable(receipts),
    repeated: [],
    unverified: receipts.filter(({ standard, hmac }) => !standard || !hmac).map(({ id }) => id),
  };
  const succeeded = new Map<string, number>();
  let hidden = 0;
  for (const [index, receipt] of receipts.entries()) {
    if (!isSuccess(receipt)) continue;
    const name = nameOf(receipt);
    const before = succeeded.get(name);
    succeeded.set(name, index);
    if (before === undefined) continue;
    const kill = marks.find((mark) => before < mark && mark <= index);
    if (kill !== undefined && kill - before <= mostHidden) hidden++;
    else judgement.repeated.push(name);
  }
  judgement.missing = events.map(nameOfEvent).filter((name) => !succeeded.has(name));
  const failures = receipts.filter((receipt) => !isSuccess(receipt)).length;
  const counts: Counts = { events: events.length, calls: receipts.length, failures, hidden };
  return { judgement, counts };
}

const isSuccess = ({ answered }: Receipt): boolean => answered >= 200 && answered < 300;
const nameOf = ({ subject, seq }: Receipt): string => `${subject} ${seq}`;
const nameOfEvent = ({ subject, seq }: EventJson): string => `${subject.id} ${seq}`;

function stable(receipts: readonly Receipt[]): string[] {
  const idOf = new Map<string, string>();
  const nameOfId = new Map<string, string>();
  return receipts.flatMap((receipt) => {
    const name = nameOf(receipt);
    const known = idOf.get(name) ?? receipt.id;
    const owner = nameOfId.get(receipt.id) ?? name;
    idOf.set(name, known);
    nameOfId.set(receipt.id, owner);
    return known === receipt.id && owner === name ? [] : [name];
  });
}

/**
 * A conversation goes on only after a success, and steps back only over a kill, to what that kill can have hidden. What
 * succeeds for the first time stands behind everything that had succeeded.
 */
function inOrder(receipts: readonly Receipt[], marks: readonly number[]): string[] {
  const last = new Map<string, { seq: number; success: boolean; segment: number }>();
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const wrong: string[] = [];
  let segment = 0;
  for (const [index, receipt] of receipts.entries()) {
    while (segment < marks.length && index >= marks[segment]!) segment++;
    const { subject, seq } = receipt;
    const name = nameOf(receipt);
    const before = last.get(subject);
    const success = isSuccess(receipt);
    const goesOn = before === undefined || (before.success ? seq > before.seq : seq === before.seq);
    const beginsAgain = before !== undefined && before.segment < segment && seq <= before.seq;
    if (!goesOn && !beginsAgain) wrong.push(`${name} after ${before?.seq}`);
    last.set(subject, { seq, success, segment });
    if (!success || seen.has(name)) continue;
    seen.add(name);
    if (seq < (highest.get(subject) ?? 0)) wrong.push(`${name} came late`);
    highest.set(subject, Math.max(seq, highest.get(subject) ?? 0));
  }
  return wrong;
}
