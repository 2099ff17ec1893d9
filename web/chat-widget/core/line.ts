import type { Json, Message } from './contract.ts';
import type { Draft } from './drafts.ts';

/** A Message, or what will be one. */
export interface Line {
  /** Its own as long as the line is shown. */
  key: string;
  content: Json;
  fromVisitor: boolean;
  /** Epoch ms. */
  at: number;
  status: 'sent' | 'sending' | 'failed';
  /** Why it failed. */
  problem?: string;
  sender?: Message['sender'];
}

/** @param name that the Message had as a draft: its line stays the same one */
export const lineOfMessage = ({ id, content, from_contact, sent_at, sender }: Message, name = id): Line => ({
  key: name,
  content,
  fromVisitor: from_contact,
  at: Date.parse(sent_at),
  status: 'sent',
  sender,
});

export const lineOfDraft = ({ name, content, writtenAt, problem }: Draft): Line => ({
  key: name,
  content,
  fromVisitor: true,
  at: writtenAt,
  ...(problem === undefined ? { status: 'sending' } : { status: 'failed', problem }),
});
