import type { Inbound } from '#src/ingest/items.ts';

/** What one part of an update says, of a source that is known besides. */
export type Said = Partial<Omit<Inbound, 'source'>>;

/** What all parts say together; null: nothing that is known. */
export const joined = (source: string, said: readonly Said[]): Inbound | null =>
  said.length === 0
    ? null
    : {
        source,
        messages: said.flatMap(({ messages = [] }) => messages),
        metadata: said.flatMap(({ metadata = [] }) => metadata),
        receipts: said.flatMap(({ receipts = [] }) => receipts),
        signals: said.flatMap(({ signals = [] }) => signals),
      };
