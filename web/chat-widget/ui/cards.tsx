import { h } from 'preact';
import type { Card, Choice } from '../core/content.ts';
import type { Texts } from './config.ts';
import { DownIcon, LinkIcon } from './icons.tsx';
import { Link } from './markdown.tsx';
import { MediaView } from './media.tsx';

/** What a press on an answer does; null: nothing can be chosen any more. */
export type Choose = ((choice: Choice & { kind: 'reply' }) => void) | null;

interface Choosing {
  choose: Choose;
}

/** Answers and links, as buttons. */
export function Choices({ choices, choose, class: name }: { choices: readonly Choice[]; class: string } & Choosing) {
  if (choices.length === 0) return null;
  return (
    <div class={name}>
      {choices.map((choice) =>
        choice.kind === 'link' ? (
          <Link href={choice.url} class="choice">
            {choice.text}
            <LinkIcon />
          </Link>
        ) : (
          <button type="button" class="choice" disabled={!choose} onClick={() => choose?.(choice)}>
            {choice.image && <img src={choice.image} alt="" referrerpolicy="no-referrer" />}
            {choice.text}
          </button>
        ),
      )}
    </div>
  );
}

/** One card, or several side by side. */
export function Cards({ cards, texts, choose }: { cards: readonly Card[]; texts: Texts } & Choosing) {
  if (cards.length === 0) return null;
  const isCarousel = cards.length > 1;
  return (
    <div class={isCarousel ? 'cards carousel' : 'cards'}>
      <div class="row" {...(isCarousel && { tabIndex: 0 })}>
        {cards.map((card) => (
          <CardView card={card} texts={texts} choose={choose} />
        ))}
      </div>
      {isCarousel && (
        <div class="turn">
          <button type="button" class="round" aria-label={texts.previous} onClick={(event) => turn(event, -1)}>
            <DownIcon />
          </button>
          <button type="button" class="round" aria-label={texts.next} onClick={(event) => turn(event, 1)}>
            <DownIcon />
          </button>
        </div>
      )}
    </div>
  );
}

/** Moves a carousel by most of what it shows; the style stops it at a card. */
function turn({ currentTarget }: Event, direction: 1 | -1): void {
  const row = (currentTarget as Element).closest('.cards')!.firstElementChild!;
  row.scrollBy({ left: direction * row.clientWidth * 0.7 });
}

function CardView({ card, texts, choose }: { card: Card; texts: Texts } & Choosing) {
  return (
    <article class="card">
      {card.media && (
        <div class={`picture ${card.height}`}>
          <MediaView media={card.media} texts={texts} />
        </div>
      )}
      {(card.title || card.description) && (
        <div class="words">
          {card.title && <h3>{card.title}</h3>}
          {card.description && <p>{card.description}</p>}
        </div>
      )}
      <Choices class="actions" choices={card.choices} choose={choose} />
    </article>
  );
}
