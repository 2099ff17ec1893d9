import { channelId, conversationId } from '#actors/ids.ts';

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

export const contacts: readonly Contact[] = sourceIds.flatMap((source) =>
  Array.from({ length: linesPerSource * contactsPerLine }, (_, n) => {
    const line = lineName(n % linesPerSource);
    const channel = channelId(source, line);
    // The contacts of two lines of a source share their names, as a person who writes to both does.
    const name = `${source}-${Math.floor(n / linesPerSource)}`;
    return { name, source, line, channel, conversation: conversationId(channel, name) };
  }),
);
