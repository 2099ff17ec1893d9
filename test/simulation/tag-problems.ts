import { uuidFromBytes } from '#actors/uuid.ts';
import type { Connection } from '#actors/store/database.ts';
import type { Ledger } from './ledger.ts';

const idOf = (tag: string, conversation: string): string => `${tag} of ${conversation}`;

/** What does not hold of tags in a quiet hub: what conversations have, what tags know, what people were told. */
export function tagProblems(db: Connection, ledger: Ledger): string[] {
  const rows = db.prepare('SELECT id, metadata FROM conversation').all() as { id: Uint8Array; metadata: string }[];
  const had = new Set(
    rows.flatMap(({ id, metadata }) => {
      const { tags = {} } = JSON.parse(metadata) as { tags?: object };
      return Object.keys(tags).map((tag) => idOf(tag, uuidFromBytes(id)));
    }),
  );
  const known = db
    .prepare('SELECT t.id, t.deleted, k.conversation FROM tagged_conversation k JOIN tag t ON t.key = k.tag')
    .all() as { id: Uint8Array; deleted: number; conversation: Uint8Array }[];
  const there = new Set(
    known
      .filter(({ deleted }) => deleted === 0)
      .map(({ id, conversation }) => idOf(uuidFromBytes(id), uuidFromBytes(conversation))),
  );
  const untagged = new Set(ledger.untagged.map(({ tag, conversation }) => idOf(tag, conversation)));
  const kept = ledger.tagged
    .filter(({ tag }) => !ledger.tagsToDelete.has(tag))
    .map(({ tag, conversation }) => idOf(tag, conversation))
    .filter((name) => !untagged.has(name));
  return [
    ...known.filter(({ deleted }) => deleted === 1).map(({ id }) => `the deleted tag ${uuidFromBytes(id)} is known`),
    ...[...had.difference(there)].map((name) => `a conversation has a tag that does not know it: ${name}`),
    ...[...there.difference(had)].map((name) => `a tag knows a conversation that does not have it: ${name}`),
    ...kept.filter((name) => !had.has(name)).map((name) => `a tag was acknowledged and is not there: ${name}`),
  ];
}
