/** What clients were told: the other side of the store. */
export class Ledger {
  /** Sends by message id; `acknowledged` as the answer said. */
  readonly sends = new Map<
    string,
    { conversation: string; text: string; acknowledged: 'stored' | 'parked' | null; denied: boolean }
  >();
  /** Messages that an ingest answered with. */
  readonly ingested: { conversation: string; sourceMessageId: string; id: string }[] = [];
  /** Keys of `user_data` by conversation. */
  readonly metadata: { conversation: string; key: string; acknowledged: boolean; denied: boolean }[] = [];
  /** What sources said about conversations, acknowledged. */
  readonly said: { source: string; contact: string; key: string }[] = [];
}
