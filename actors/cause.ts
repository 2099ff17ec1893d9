/** What led to a command. */
export interface Cause {
  /** Of a caller's kind, with the request, or of what the hub does by itself: `command`, `timer`, `effect`, … */
  kind: string;
  /** Which one; null where there is only one of the kind. */
  id: string | null;
  /** Null for what no request asked for. */
  requestId: string | null;
}

/** The kinds of callers: what they ask for comes with a request. */
const callerKinds: readonly string[] = ['agent', 'source', 'key', 'visitor', 'anyone', 'platform'];

/** The cause of what a request asks for: compact text, as each turn keeps one. @param who `<kind> <id>`, or a kind */
export const requestCause = (who: string, requestId: string): string => `${who} ${requestId}`;

/** The cause of what an actor tells another: the command that made it. */
export const commandCause = (commandId: string): string => `command ${commandId}`;

/** Reads a cause. Ids may hold spaces, a kind and a request id never. */
export function causeIn(text: string): Cause {
  const [kind = '', ...rest] = text.split(' ');
  const requestId = callerKinds.includes(kind) ? (rest.pop() ?? null) : null;
  return { kind, id: rest.length === 0 ? null : rest.join(' '), requestId };
}
