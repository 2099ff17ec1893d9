import type { ContactContext, ErasureOf } from '#machines/contact.ts';
import type { Connection } from '../store/database.ts';
import { deadLetters } from '../store/tables.ts';
import type { ActorAddress, Envelope } from '../runtime/envelope.ts';
import { uuidToBytes } from '../uuid.ts';
import { contacts } from './tables.ts';

/** A step of an erasure that became a dead letter: the erasure goes on when it is redriven. */
export interface StuckStep {
  actor: ActorAddress;
  commandId: string;
}

/** Steps that say by their receiver whose erasure they are of. */
const ownSteps: readonly string[] = ['contact.erase-versions', 'contact.parts-found', 'contact.part-erased'];

/** Reads what the erasure of a contact waits for in vain, that of contacts which are part of it too. */
export function stuckStepsReader(db: Connection): (contact: string) => StuckStep[] {
  const waiting = deadLetters.query(db, 'WHERE redriven_at IS NULL ORDER BY key');
  const erasing = contacts.query(db, `WHERE value = '"erasing"' AND id = ?`);

  const isOf = (contact: string, id: string | null): boolean => {
    if (id === null || id === contact) return id === contact;
    const row = erasing.get(uuidToBytes(id));
    return row !== null && isOf(contact, (JSON.parse(row.context) as ContactContext).erasure?.partOf?.contact ?? null);
  };
  return (contact) =>
    waiting
      .all()
      .map(({ envelope }) => JSON.parse(envelope) as Envelope)
      .filter((envelope) => isOf(contact, erasedBy(envelope)))
      .map(({ actor, commandId }) => ({ actor, commandId }));
}

/** Id of the contact whose erasure a command is a step of; null: it is none. */
function erasedBy({ actor, type, body }: Envelope): string | null {
  if (ownSteps.includes(type)) return actor.id;
  return (body as { partOf?: ErasureOf } | null)?.partOf?.contact ?? null;
}
