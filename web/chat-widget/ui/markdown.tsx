import { type ComponentChild, h } from 'preact';
import { safeLink } from '../core/links.ts';
import { type Inline, type Paragraph, parseMarkdown } from '../core/markdown.ts';

/** A message's text, its Markdown as elements. */
export function Markdown({ text, host }: { text: string; host: string }) {
  return <div class="prose">{parseMarkdown(text).map((paragraph) => block(paragraph, host))}</div>;
}

function block(paragraph: Paragraph, host: string): ComponentChild {
  switch (paragraph.kind) {
    case 'pre':
      return (
        <pre tabIndex={0}>
          <code>{paragraph.text}</code>
        </pre>
      );
    case 'quote':
      return <blockquote>{paragraph.children.map((child) => block(child, host))}</blockquote>;
    case 'list': {
      const items = paragraph.items.map((item) => <li>{inlines(item, host)}</li>);
      return paragraph.ordered ? <ol start={paragraph.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'heading':
      return (
        <p>
          <strong>{inlines(paragraph.children, host)}</strong>
        </p>
      );
    default:
      return <p>{inlines(paragraph.children, host)}</p>;
  }
}

const inlines = (children: readonly Inline[], host: string) => children.map((child) => inline(child, host));

const elements = { strong: 'strong', emphasis: 'em', deleted: 'del' } as const;

function inline(part: Inline, host: string): ComponentChild {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'break':
      return <br />;
    case 'code':
      return <code>{part.text}</code>;
    case 'link': {
      const address = safeLink(part.address, host);
      return address === null ? (
        inlines(part.children, host)
      ) : (
        <Link href={address}>{inlines(part.children, host)}</Link>
      );
    }
    default: {
      const Element = elements[part.kind];
      return <Element>{inlines(part.children, host)}</Element>;
    }
  }
}

/** @param props `href` has passed `safeLink` or `safeMedia` */
export function Link(props: { href: string; class?: string; children: ComponentChild }) {
  return <a {...props} target="_blank" rel="noopener noreferrer nofollow" />;
}
