import type { Entry } from '../core/chat.ts';
import { type Choice, isEmpty, readContent } from '../core/content.ts';
import { Cards, Choices } from './cards.tsx';
import type { Settings } from './config.ts';
import { Markdown } from './markdown.tsx';
import { MediaView } from './media.tsx';

export interface EntryProps {
  entry: Entry;
  settings: Settings;
  /** Null: nothing can be chosen any more. */
  choose: ((choice: Choice & { kind: 'reply' }) => void) | null;
  /** Only of the last one its answers are offered. */
  isLast: boolean;
}

/** Everything that one Message shows. What visitors write is text as they wrote it. */
export function EntryView({ entry, settings, choose, isLast }: EntryProps) {
  const { host, texts } = settings;
  const shown = readContent(entry.content, host);
  return (
    <div class="entry" data-status={entry.status}>
      <span class="hidden">{entry.fromVisitor ? texts.you : entry.sender?.name || texts.agent}: </span>
      {shown.media.map((media) => (
        <MediaView media={media} texts={texts} />
      ))}
      {shown.text && (
        <div class="bubble">{entry.fromVisitor ? shown.text : <Markdown text={shown.text} host={host} />}</div>
      )}
      <Cards cards={shown.cards} texts={texts} choose={choose} />
      {isEmpty(shown) && shown.choices.length === 0 && <div class="bubble unknown">{texts.unknown}</div>}
      {isLast && !entry.fromVisitor && <Choices class="chips" choices={shown.choices} choose={choose} />}
    </div>
  );
}
