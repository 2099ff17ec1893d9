/** A send that a client asked for. */
export interface Send {
  /** The content, which no other send has, unless its key was used again. */
  text: string;
  conversation: string;
  /** The message's id, once an answer said it. */
  id: string | null;
  /** As the answer said. */
  acknowledged: 'stored' | 'parked' | null;
  denied: boolean;
}

/** What clients were told: the other side of the store. */
export class Ledger {
  readonly sends: Send[] = [];
  /** Messages that an ingest answered with. `ofItself`: it called one a duplicate that nobody else had pushed. */
  readonly ingested: { conversation: string; sourceMessageId: string; id: string; ofItself: boolean }[] = [];
  /** Keys of `user_data` by conversation. */
  readonly metadata: { conversation: string; key: string; acknowledged: boolean; denied: boolean }[] = [];
  /** What sources said about conversations, acknowledged. */
  readonly said: { source: string; contact: string; conversation: string; key: string }[] = [];

  /** Tags that were put on conversations, acknowledged; those that somebody asked to be taken off, or to be deleted. */
  readonly tagged: { conversation: string; tag: string }[] = [];
  readonly untagged: { conversation: string; tag: string }[] = [];
  readonly tagsToDelete = new Set<string>();

  /** Notes a send before it is asked for. */
  send(text: string, conversation: string): Send {
    const send: Send = { text, conversation, id: null, acknowledged: null, denied: false };
    this.sends.push(send);
    return send;
  }
}
