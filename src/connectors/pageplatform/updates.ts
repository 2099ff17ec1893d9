import type { RawRequest } from '../connector.ts';
import { splitEntries, splitLists } from '../graph/updates.ts';

/** What an entry has lists of; `standby`: while another app of the page has the conversation. */
export const eventLists = ['messaging', 'standby'] as const;

/** Each event alone. */
export const split = ({ body }: RawRequest): readonly string[] =>
  splitEntries(body, (entry) => splitLists(entry, [...eventLists, 'changes']));
