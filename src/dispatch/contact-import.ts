import type { CommandSender } from '#actors/commands.ts';
import type { ContactImportReader } from '#actors/contact-import/reader.ts';
import { importedContactId } from '#actors/ids.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { JsonObject } from '#actors/representation.ts';
import { durably, Stopping } from './durably.ts';
import type { Origin } from '#src/services.ts';
import type { EffectRow, Performed } from './lanes.ts';

export interface ContactImportOptions {
  reader: ContactImportReader;
  clock: Clock;
  log: Logger;
  commandsFor(origin: Origin): CommandSender;
  /** Whether the hub stops. */
  stopping(): boolean;
}

/** Contacts that are being made at once: a batch of the host. */
const atOnce = 256;
/** Wait before an import that could not be carried out is tried again, in ms. */
const retryDelay = 1_000;

/**
 * Makes the contacts of a committed import. Their ids follow from the import's, so that one that was carried out in part
 * before a crash goes on: what is made twice is made once.
 */
export async function carryOutImport(options: ContactImportOptions, effect: EffectRow): Promise<Performed> {
  const { reader, clock, log } = options;
  const found = reader.find(effect.subject);
  if (found === null) return { done: true };
  try {
    const contacts = [...found.parts].flat();
    await makeAll(options, found.id, contacts);
    await asked(options, `${effect.id} finish`, (commands) =>
      commands.send('contact-import', found.id, 'import.finish', null),
    );
    log.info({ import: found.id, contacts: contacts.length }, 'contacts.imported');
    return { done: true };
  } catch (error) {
    if (!(error instanceof Stopping)) log.error({ import: found.id, reason: String(error) }, 'import.failed');
    return { done: false, retryAt: clock.now() + retryDelay };
  }
}

/** As many at once as are allowed, each as soon as another one is done. */
async function makeAll(options: ContactImportOptions, id: string, contacts: readonly JsonObject[]): Promise<void> {
  const rest = contacts.entries();
  const work = async (): Promise<void> => {
    for (const [index, fields] of rest) {
      await asked(options, `${id} ${index}`, (commands) =>
        commands.send('contact', importedContactId(id, index), 'contact.create', { fields }),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const asked = <T>(options: ContactImportOptions, name: string, send: (commands: CommandSender) => Promise<T>) =>
  durably(options, { cause: 'import', idempotencyKey: `import ${name}` }, send);
