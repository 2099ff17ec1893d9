import { Failure } from '../errors.ts';
import { namespaces } from '../ids.ts';
import type { Handlers, Runtime } from '../runtime/kind.ts';
import { outbox } from '../store/tables.ts';
import { uuidV5 } from '../uuid.ts';
import { type ContactImportCommands, importEffect } from './contract.ts';
import type { ContactImportReads } from './reads.ts';
import { contactImportParts, type ContactImportRow } from './tables.ts';

type ContactImportRuntime = Runtime<ContactImportRow, null, ContactImportReads, 'contact-import'>;

export const contactImportHandlers: Handlers<ContactImportRuntime, ContactImportCommands> = {
  'import.add'(runtime, { part, contacts }) {
    const { actor, reads, value } = runtime;
    if (!isOpen(value) || reads.parts(actor.key).has(part)) return {};
    runtime.step({ type: 'add' });
    const row = { key: runtime.nextKey(), actor: actor.key, number: part, contacts: JSON.stringify(contacts) };
    runtime.change(contactImportParts.insert(row));
    return {};
  },

  'import.commit'(runtime, { parts }) {
    const { actor, reads, value } = runtime;
    if (!isOpen(value)) return {};
    if (reads.parts(actor.key).size < parts) {
      throw new Failure('unavailable', 'The import took too long. Nothing was made; send all of it again.', {
        retryAfter: 1,
      });
    }
    const { effects } = runtime.step({ type: 'commit' });
    if (effects.some(({ type }) => type === 'carryOut')) carryOut(runtime);
    return {};
  },

  'import.finish'(runtime) {
    const { effects } = runtime.step({ type: 'finish' });
    if (effects.some(({ type }) => type === 'forget')) forget(runtime);
    const effect = runtime.effectOf(runtime.actor.key, importEffect);
    if (effect !== null) runtime.change(outbox.remove(effect.key));
    // Whoever waits for it looks again, though no event of its own tells it.
    runtime.signal('feed');
    return {};
  },

  'import.erase-letter'(runtime, { commandId }) {
    runtime.eraseLetters((letter) => letter.commandId === commandId);
    return {};
  },
};

/** The rest of it did not come in time. */
export function importTimer(runtime: ContactImportRuntime, _: number, event: { type: `xstate.after.${string}` }): void {
  const { effects } = runtime.step(event);
  if (effects.some(({ type }) => type === 'forget')) forget(runtime);
}

/** Whether it may get parts: it is not committed. */
export const isOpen = (value: unknown): boolean => value === 'none' || value === 'collecting';

function carryOut(runtime: ContactImportRuntime): void {
  const { key } = runtime.actor;
  runtime.change(
    outbox.insert({
      ...{ key: runtime.nextKey(), id: uuidV5(namespaces.command, importEffect, runtime.commandId) },
      ...{ kind: importEffect, lane: key, subject: key, ready: 1, body: null, at: runtime.now },
    }),
  );
}

function forget(runtime: ContactImportRuntime): void {
  for (const key of runtime.reads.parts(runtime.actor.key).values()) runtime.change(contactImportParts.remove(key));
}
