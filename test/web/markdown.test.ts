import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Inline, type Paragraph, parseMarkdown } from '#web/chat-widget/core/markdown.ts';

/** The tree in a short form: `b(…)`, `i(…)`, `s(…)`, `c(…)`, `a[address](…)`. */
const marks = { strong: 'b', emphasis: 'i', deleted: 's' };
const inline = (part: Inline): string => {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'break') return '/';
  if (part.kind === 'code') return `c(${part.text})`;
  if (part.kind === 'link') return `a[${part.address}](${part.children.map(inline).join('')})`;
  return `${marks[part.kind]}(${part.children.map(inline).join('')})`;
};
const block = (part: Paragraph): string => {
  if (part.kind === 'pre') return `pre(${part.text})`;
  if (part.kind === 'quote') return `quote(${part.children.map(block).join('|')})`;
  if (part.kind !== 'list') return `${part.kind === 'heading' ? 'h' : 'p'}(${part.children.map(inline).join('')})`;
  const items = part.items.map((item) => item.map(inline).join('')).join(';');
  return part.ordered ? `ol${part.start}(${items})` : `ul(${items})`;
};
const shown = (text: string): string => parseMarkdown(text).map(block).join('|');

describe('Markdown', () => {
  it.each([
    ['plain', 'p(plain)'],
    ['one\ntwo\n\nthree', 'p(one/two)|p(three)'],
    ['**bold** and __bold__', 'p(b(bold) and b(bold))'],
    ['*it* and _it_', 'p(i(it) and i(it))'],
    ['**bold *and it***', 'p(b(bold i(and it)))'],
    ['~~gone~~', 'p(s(gone))'],
    ['`a *b*`', 'p(c(a *b*))'],
    ['2 * 3 * 4', 'p(2 * 3 * 4)'],
    ['snake_case_name', 'p(snake_case_name)'],
    ['\\*no\\*', 'p(*no*)'],
    ['**open', 'p(**open)'],
    ['# Title\ntext', 'h(Title)|p(text)'],
    ['# Title ##', 'h(Title)'],
    ['#tag', 'p(#tag)'],
    ['- a\n- b', 'ul(a;b)'],
    ['* a\n* *b*', 'ul(a;i(b))'],
    ['3. a\n4. b', 'ol3(a;b)'],
    ['text\n- a', 'p(text)|ul(a)'],
    ['> a\n> - b\n\nc', 'quote(p(a)|ul(b))|p(c)'],
    ['```\na\n\n*b*\n```\nc', 'pre(a\n\n*b*)|p(c)'],
    ['```js\nopen', 'pre(open)'],
    ['<b>html</b> & &amp;', 'p(<b>html</b> & &amp;)'],
  ])('reads %j', (text, tree) => {
    expect(shown(text)).toBe(tree);
  });

  it.each([
    ['[here](https://a.example/x)', 'p(a[https://a.example/x](here))'],
    ['[here](https://a.example/x "title")', 'p(a[https://a.example/x](here))'],
    ['[*here*](/path)', 'p(a[/path](i(here)))'],
    ['[w](https://a.example/x_(y))', 'p(a[https://a.example/x_(y)](w))'],
    ['![alt](https://a.example/x.png)', 'p(a[https://a.example/x.png](alt))'],
    ['<mailto:a@b.example>', 'p(a[mailto:a@b.example](mailto:a@b.example))'],
    ['see https://a.example/x.', 'p(see a[https://a.example/x](https://a.example/x).)'],
    ['(https://a.example/x)', 'p((a[https://a.example/x](https://a.example/x)))'],
    ['https://a.example/x_(y)!', 'p(a[https://a.example/x_(y)](https://a.example/x_(y))!)'],
    ['nohttps://a.example', 'p(nohttps://a.example)'],
    ['[a]( https://a.example  "t" )', 'p(a[https://a.example](a))'],
    ['[no] (link)', 'p([no] (link))'],
  ])('links %j', (text, tree) => {
    expect(shown(text)).toBe(tree);
  });

  it('loses no letter of what it does not understand', () => {
    const signs = fc.string({ unit: fc.constantFrom(...'ab*_~`[]()<>#-1.\\ ') });
    const letters = (text: string) => text.replace(/[^ab]/g, '');
    const texts = (part: Inline): string =>
      'children' in part ? part.children.map(texts).join('') : 'text' in part ? part.text : '';
    fc.assert(
      fc.property(signs, (text) => {
        // Fences and quotes have lines of their own, addresses are no text.
        fc.pre(!/\]\(|>|```/.test(text));
        const all = parseMarkdown(text).map((part) => {
          if (part.kind === 'pre') return part.text;
          if (part.kind === 'list') return part.items.flat().map(texts).join('');
          return part.kind === 'quote' ? '' : part.children.map(texts).join('');
        });
        expect(letters(all.join(''))).toBe(letters(text));
      }),
    );
  });

  it.each(['[', '*', '**', '_', '`', '~~', '> ', '![', '**a *b ', '[a](', '(http://', '<http://', '- ', '\\'])(
    'takes no long time over %j, repeated',
    (part) => {
      const text = part.repeat(50_000 / part.length);
      const started = performance.now();
      parseMarkdown(text);
      expect(performance.now() - started).toBeLessThan(1_000);
    },
  );

  it.each([
    ['# a', ' '],
    ['# ', '#'],
    ['[a](', ' '],
    ['[a](b', ' '],
    ['[a](b "', ' '],
  ])('takes no long time over %j and many %j', (start, sign) => {
    const text = `${start}${sign.repeat(50_000)}c`;
    const started = performance.now();
    parseMarkdown(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
