import { channelId, contactOfConversation, conversationId } from '#actors/ids.ts';

/** Who takes part in every run. */
export const sourceIds = ['acme', 'bell'];
export const linesPerSource = 2;
const contactsPerLine = 3;

export interface Contact {
  name: string;
  source: string;
  /** The source's own id of the channel. */
  line: string;
  channel: string;
  conversation: string;
}

export const endpoint = (source: string): string => `https://${source}.example/actions`;

export const lineName = (line: number): string => `line-${line}`;

const contactOf = (source: string, line: string, name: string): Contact => {
  const channel = channelId(source, line);
  return { name, source, line, channel, conversation: conversationId(channel, name) };
};

// The contacts of two lines of a source share their names, as a person who writes to both does.
export const contacts: readonly Contact[] = sourceIds.flatMap((source) =>
  Array.from({ length: linesPerSource * contactsPerLine }, (_, n) =>
    contactOf(source, lineName(n % linesPerSource), `${source}-${Math.floor(n / linesPerSource)}`),
  ),
);

/** Who may be erased. What events say of them changes then. */
export const forgettable: readonly Contact[] = ['gone-0', 'gone-1', 'gone-2'].map((name) =>
  contactOf(sourceIds[0]!, lineName(0), name),
);

/** Their conversations and contacts. */
export const forgettableIds: ReadonlySet<string> = new Set(
  forgettable.flatMap(({ conversation }) => [conversation, contactOfConversation(conversation)]),
);
