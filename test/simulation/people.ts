import { contactOfConversation } from '#actors/ids.ts';
import { uuidFromBytes } from '#actors/uuid.ts';
import { contacts, forgettableIds } from './cast.ts';
import type { Clients } from './clients.ts';
import type { World } from './world.ts';

/** Contacts of the cast, by the conversations that they are made for. */
const people = contacts.map(({ conversation }) => contactOfConversation(conversation));

/** What users of the core API make of contacts. Few of them are merged with many, so that chains and circles come about. */
export class People {
  readonly #world: World;
  readonly #clients: Clients;
  #made = 0;

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
  }

  /** Often several at once, also of the same two, in both directions. */
  merge(): void {
    const { random } = this.#world;
    const few = [this.#person(), this.#person(), this.#person()];
    for (let count = 1 + random.int(4); count > 0; count--) {
      const [source_id, destination_id] = [random.pick(few), random.pick(few)];
      if (source_id === destination_id) continue;
      this.#ask(`merge ${source_id} ${destination_id}`, '/contacts.merge', { source_id, destination_id });
    }
  }

  update(): void {
    const title = `title ${this.#made++}`;
    const id = this.#person();
    this.#ask(`update ${id}`, '/contacts.update', { id, title, via: { [title]: title } });
  }

  remove(): void {
    const id = this.#person();
    this.#ask(`delete ${id}`, '/contacts.delete', { id });
  }

  /** Two at once, all or none. */
  bring(): void {
    const display_name = `import ${this.#made++}`;
    this.#ask(display_name, '/contacts.import', [{ display_name }, { display_name }]);
  }

  /** Nearly always one that is there, never one of an import: those are counted; and nobody who may be erased. */
  #person(): string {
    const { random, db } = this.#world;
    const known = db.prepare(
      `SELECT id FROM contact WHERE sort IS NOT NULL AND display_name NOT LIKE 'import %' ORDER BY id`,
    );
    const there = (known.pluck().all() as Uint8Array[]).map(uuidFromBytes).filter((id) => !forgettableIds.has(id));
    return there.length === 0 || random.chance(0.1) ? random.pick(people) : random.pick(there);
  }

  #ask(name: string, path: string, body: unknown): void {
    this.#clients.ask({ name, path, body, inDoubt: this.#world.random.chance(0.5) ? 'again' : 'give up' });
  }
}

/** Queries that find nothing where contacts are as they must be, beside what `verify` asks. */
export const wrongContacts: Record<string, string> = {
  'a conversation has no contact': `SELECT c.key FROM conversation c WHERE c.created_at IS NOT NULL
     AND (c.erased_before IS NULL OR c.source_conversation_id <> '')
     AND NOT EXISTS (SELECT 1 FROM contact_conversation o WHERE o.conversation = c.id)
     AND NOT EXISTS (SELECT 1 FROM contact g WHERE g.value = '"deleted"')`,
  'a merge has not ended': `SELECT key FROM contact WHERE value = '"merging"'`,
  'a contact is part of nobody that is there': `WITH RECURSIVE way (start, id, steps) AS (
       SELECT key, merged_into, 0 FROM contact WHERE value = '"merged"'
       UNION ALL SELECT way.start, c.merged_into, steps + 1 FROM way JOIN contact c ON c.id = way.id
       WHERE c.merged_into IS NOT NULL AND steps < 100)
     SELECT start FROM way JOIN contact c ON c.id = way.id GROUP BY start
     HAVING sum(c.value IN ('"active"', '"deleted"')) = 0`,
  'an import is there in part': `SELECT display_name FROM contact WHERE display_name LIKE 'import %'
     GROUP BY display_name HAVING count(*) % 2 <> 0`,
  'a part of an import is left': 'SELECT key FROM contact_import_part',
};
