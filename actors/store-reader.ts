import { deadLetterReader } from './dead-letter/reader.ts';
import { type AuditReader, auditReader } from './journal/audit.ts';
import { feedReader } from './journal/feed-reader.ts';
import { renderingOf } from './journal/render.ts';
import { type declaredKinds, kinds } from './kinds.ts';
import type { ReaderParts } from './runtime/kind.ts';
import { type Connection, openForReading } from './store/database.ts';
import { outboxReader } from './store/outbox-reader.ts';
import { createSeal, readWith } from './store/seal.ts';

type MakeReader = (db: Connection, parts: ReaderParts) => unknown;
type MakersOf<K> = K extends { readers?: infer R } ? NonNullable<R> : never;
type Makers = { [K in keyof typeof declaredKinds]: MakersOf<(typeof declaredKinds)[K]> }[keyof typeof declaredKinds];
type Union<T> = (T extends unknown ? (of: T) => void : never) extends (of: infer All) => void ? All : never;
type Made<M> = { [N in keyof M]: M[N] extends (...parts: never[]) => infer Reader ? Reader : never };

/** What the kinds let the outside read. A value read here may be older than the newest commit, never torn. */
export type StoreReader = Made<Union<Makers>> & {
  deadLetters: ReturnType<typeof deadLetterReader>;
  audit: AuditReader;
};

/** Everything that the outward parts of the hub read, over one read-only connection. */
export type OpenStoreReader = StoreReader & {
  feed: ReturnType<typeof feedReader>;
  outbox: ReturnType<typeof outboxReader>;
  /** What was erased of rows is not shown from memory any longer. */
  forgetErased(): void;
  close(): void;
};

/**
 * @param sealKey what the file's secrets are encrypted with; absent: they are read as they are stored
 * @param running whether a read may go on, as `openForReading` takes it
 * @throws Error when the file does not exist yet: the host makes it
 */
export function openStoreReader(
  file: string,
  shards: number,
  sealKey?: Uint8Array,
  running?: () => boolean,
): OpenStoreReader {
  const db = openForReading(file, running);
  if (sealKey !== undefined) readWith(db, createSeal(sealKey));
  const instance = db.prepare("SELECT value FROM meta WHERE name = 'instance'").pluck().get() as string;
  const rendering = renderingOf(db, kinds);
  const parts: ReaderParts = { shards, instance, clock: () => performance.now(), render: rendering.render };
  const makers = Object.assign({}, ...kinds.map(({ readers }) => readers ?? {})) as Record<string, MakeReader>;
  const readers = Object.entries(makers).map(([name, make]) => [name, make(db, parts)]);
  const made = Object.fromEntries(readers) as Made<Union<Makers>>;
  return {
    ...made,
    deadLetters: deadLetterReader(db),
    audit: auditReader(db, shards, kinds),
    feed: feedReader(db, shards, kinds, rendering),
    outbox: outboxReader(db),
    forgetErased: () => rendering.forget(),
    close() {
      made.conversations.close();
      db.close();
    },
  };
}
