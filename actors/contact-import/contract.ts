import type { Nothing } from '../contact/contract.ts';
import type { JsonObject } from '../representation.ts';
import type { Address } from '../runtime/kind.ts';

/** The commands of an import: type → body and result. */
export type ContactImportCommands = {
  /** Keeps a part of it: what is said of each contact. Nothing of it is seen before all of it is committed. */
  'import.add': { body: { part: number; contacts: JsonObject[] }; result: Nothing };
  /** From here on all of its contacts will be there. @throws Failure `unavailable` when a part is missing */
  'import.commit': { body: { parts: number }; result: Nothing };
  /** All of its contacts are there. */
  'import.finish': { body: null; result: Nothing };
  /** A part of it that could not be handled names somebody who is erased. */
  'import.erase-letter': { body: { commandId: string }; result: Nothing };
};

/** The actor of an import, as somebody whom other actors tell something. */
export const contactImportActor = (id: string): Address<ContactImportCommands> => ({ kind: 'contact-import', id });

/** The kind of the outbox's rows that have the contacts of an import made. */
export const importEffect = 'contact-import';
