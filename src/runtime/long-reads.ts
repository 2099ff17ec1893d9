import type { Clause } from '#actors/filter.ts';
import type { RecentMessageReader } from '#actors/contact/recent-reader.ts';
import type { DeadLetterReader } from '#actors/dead-letter/reader.ts';
import type { AuditQuery } from '#actors/journal/audit.ts';
import type { PageQuery } from '#actors/store/page.ts';
import type { StoreReader } from '#actors/store-reader.ts';
import type { WebhookReader } from '#actors/webhook-subscription/reader.ts';

/** Reads that can take long, by name: one more is one more line. What they are given and answer must be cloneable. */
export const longReads = {
  conversations: (store: StoreReader, query: PageQuery, filter: Clause | null) =>
    store.conversations.page(query, filter),
  contacts: (store: StoreReader, query: PageQuery) => store.contacts.page(query),
  recentMessages: (store: StoreReader, ...asked: Parameters<RecentMessageReader['ofContact']>) =>
    store.recentMessages.ofContact(...asked),
  deadLetters: (store: StoreReader, ...asked: Parameters<DeadLetterReader['page']>) => store.deadLetters.page(...asked),
  audit: (store: StoreReader, query: AuditQuery) => store.audit.page(query),
  showsFile: (store: StoreReader, sha256: string) => store.media.isShown(sha256),
  /** Whether what was erased is gone from the index of filters too: it follows for `ms` at most. */
  followErased: (store: StoreReader, ms: number) => store.conversations.follow(ms) === null,
  webhookDeliveries: (store: StoreReader, ...asked: Parameters<WebhookReader['deliveries']>) =>
    store.webhooks.deliveries(...asked),
};

type Reads = typeof longReads;
export type LongReadName = keyof Reads;
type Asked<Read> = Read extends (store: StoreReader, ...asked: infer Rest) => unknown ? Rest : never;

/** The same reads for those who wait for them. Each fails with `query_too_slow` when it takes too long. */
export type LongReads = {
  [Name in LongReadName]: (...asked: Asked<Reads[Name]>) => Promise<ReturnType<Reads[Name]>>;
};

/** @param ask does the read of this name */
export function longReadsBy(ask: (name: LongReadName, asked: unknown[]) => Promise<unknown>): LongReads {
  const names = Object.keys(longReads) as LongReadName[];
  return Object.fromEntries(names.map((name) => [name, (...asked: unknown[]) => ask(name, asked)])) as LongReads;
}

/** Does the read of this name here and now. */
export const readLong = (store: StoreReader, name: LongReadName, asked: unknown[]): unknown =>
  (longReads[name] as (store: StoreReader, ...asked: unknown[]) => unknown)(store, ...asked);
