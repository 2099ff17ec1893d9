import type { Sender } from '#actors/conversation/contract.ts';
import type { VisitClaims } from './visitor-token.ts';

/** A person or a program that works with the core API, the anonymous one of an open hub too. */
export interface Agent {
  kind: 'agent';
  /** The author of the messages it sends. */
  sender: Sender;
}

/** An application that acts as a source, known by its source token. */
export interface SourceCaller {
  kind: 'source';
  sourceId: string;
  /** The author of the messages it sends: the source itself. */
  sender: Sender;
}

/** The person at a chat plugin, known by its token: bound to one conversation. */
export interface Visitor extends VisitClaims {
  kind: 'visitor';
  /** When its token ends, epoch ms. */
  until: number;
}

/** A program with an API key of its own. */
export interface KeyHolder {
  kind: 'key';
  keyId: string;
  /** The author of the messages it sends. */
  sender: Sender;
  /** What it opens: `messages.send`, `conversations.*` or `*`. */
  operations: readonly string[];
  /** The sources that it is bound to; null: it sees those of all. */
  sources: ReadonlySet<string> | null;
}

/** Nobody was asked who they are. */
export interface Anyone {
  kind: 'anyone';
}

/** Who calls, whichever door they came through: an HTTP operation or a WebSocket. */
export type Caller = Agent | SourceCaller | Visitor | KeyHolder | Anyone;

/** Which callers a door lets in. */
export interface CallersOf {
  /** As `security.authentication` says. */
  core: Agent | KeyHolder;
  /** With a source token only. */
  source: SourceCaller;
  /** With a visitor's token only. */
  visitor: Visitor;
  /** The same, and who has the system token, on a visitor's behalf. */
  'visitor-or-system': Visitor | Agent;
  public: Anyone;
}

export type Scope = keyof CallersOf;

/** The callers of one scope. */
export type CallerOf<S extends Scope> = CallersOf[S];

/** Who writes messages on an instance without authentication, unless a valid token names somebody. */
export const anonymous: Sender = { id: 'parley-core-anonymous' };

/** One caller in words, the same for all its requests, and never another's. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'agent':
      return `agent ${caller.sender.id}`;
    case 'source':
      return `source ${caller.sourceId}`;
    case 'visitor':
      return `visitor ${caller.conversationId}`;
    case 'key':
      return `key ${caller.keyId}`;
    case 'anyone':
      return 'anyone';
  }
}
