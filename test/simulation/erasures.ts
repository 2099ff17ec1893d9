import { contactOfConversation } from '#actors/ids.ts';
import { type Contact, forgettable } from './cast.ts';
import type { Clients } from './clients.ts';
import type { SourceApps } from './source-apps.ts';
import type { World } from './world.ts';

/** People who write, and are erased on request; some write again. Nobody else's conversations are ever erased. */
export class Erasures {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #sources: SourceApps;
  #made = 0;

  constructor(world: World, clients: Clients, sources: SourceApps) {
    this.#world = world;
    this.#clients = clients;
    this.#sources = sources;
  }

  write(): void {
    const person = this.#person();
    this.#sources.write(person, `secret ${this.#made++}`);
  }

  rename(): void {
    const id = contactOfConversation(this.#person().conversation);
    this.#ask(`name ${id}`, '/contacts.update', { id, display_name: `secret ${this.#made++}` });
  }

  erase(): void {
    const id = contactOfConversation(this.#person().conversation);
    this.#ask(`erase ${id}`, '/contacts.erase', { id });
  }

  #person(): Contact {
    return this.#world.random.pick(forgettable);
  }

  #ask(name: string, path: string, body: unknown): void {
    this.#clients.ask({ name, path, body, inDoubt: this.#world.random.chance(0.5) ? 'again' : 'give up' });
  }
}

/** Queries that find nothing where everything that was asked for is erased. */
export const wrongErasures: Record<string, string> = {
  'an erasure has not ended': `SELECT id FROM contact WHERE value = '"erasing"'`,
  'an erased message shows something': `SELECT m.key FROM message m JOIN conversation c ON c.key = m.conversation
     WHERE m.key < c.erased_before AND (m.content <> '{"erased":true}' OR m.metadata <> '{}' OR m.delivery IS NOT NULL)`,
  'an erased contact shows something': `SELECT v.key FROM contact_version v JOIN contact c ON c.key = v.contact
     WHERE c.value = '"erased"' AND (v.shown LIKE '%secret%' OR v.sort IS NOT NULL)`,
  'a turn tells what is erased': `SELECT j.key FROM journal j WHERE (j.events LIKE '%secret%' OR j.answer LIKE '%secret%')
     AND j.key < (SELECT max(e.key) FROM journal e WHERE e.actor = j.actor AND e.type = 'conversation.erase')`,
};
