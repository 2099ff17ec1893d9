import { h } from 'preact';
import type { Line } from '../core/line.ts';
import { isEmpty, readContent } from '../core/content.ts';
import { Cards, type Choose } from './cards.tsx';
import type { Settings } from './config.ts';
import { Markdown } from './markdown.tsx';
import { MediaView } from './media.tsx';

/** Everything that one Message shows. What visitors write is text as they wrote it. */
export function LineView(props: { line: Line; settings: Settings; choose: Choose }) {
  const { line, settings, choose } = props;
  const { host, texts } = settings;
  const shown = readContent(line.content, host);
  return (
    <div class="line" data-status={line.status}>
      <span class="hidden">{line.fromVisitor ? texts.you : line.sender?.name || texts.agent}: </span>
      {shown.media.map((media) => (
        <MediaView media={media} texts={texts} />
      ))}
      {shown.text && (
        <div class="bubble">{line.fromVisitor ? shown.text : <Markdown text={shown.text} host={host} />}</div>
      )}
      <Cards cards={shown.cards} texts={texts} choose={choose} />
      {isEmpty(shown) && shown.choices.length === 0 && <div class="bubble unknown">{texts.unknown}</div>}
    </div>
  );
}
