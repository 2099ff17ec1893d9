/**
 * The part of Markdown that people use in a chat, as a tree: there is no HTML in it, neither coming in nor going out.
 * What is not understood stays text.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: Inline[] }
  | { kind: 'link'; address: string; children: Inline[] };

export type Paragraph =
  | { kind: 'paragraph' | 'heading'; children: Inline[] }
  | { kind: 'quote'; children: Paragraph[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Inline[][] }
  | { kind: 'pre'; text: string };

/** Deeper nesting than anybody writes by hand stays text. */
const maxDepth = 8;

const fence = /^ {0,3}```/;
const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const quoted = /^ {0,3}> ?(.*)$/;
const bullet = /^ {0,3}[-*+•][ \t]+(.*)$/;
const numbered = /^ {0,3}(\d{1,9})[.)][ \t]+(.*)$/;
const starts = [fence, heading, quoted, bullet, numbered];

/** Parses a whole message. */
export function parseMarkdown(text: string, depth = 0): Paragraph[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const found: Paragraph[] = [];
  for (let at = 0; at < lines.length; ) {
    const [paragraph, next] = takeParagraph(lines, at, depth);
    if (paragraph) found.push(paragraph);
    at = next;
  }
  return found;
}

type Taken = [paragraph: Paragraph | null, next: number];

function takeParagraph(lines: string[], at: number, depth: number): Taken {
  const line = lines[at]!;
  if (line.trim() === '') return [null, at + 1];
  if (fence.test(line)) return takeFence(lines, at);
  const title = heading.exec(line);
  if (title) return [{ kind: 'heading', children: parseInline(withoutClosing(title[1]!)) }, at + 1];
  if (quoted.test(line) && depth < maxDepth) {
    const [inner, next] = takeWhile(lines, at, quoted);
    return [{ kind: 'quote', children: parseMarkdown(inner.join('\n'), depth + 1) }, next];
  }
  if (bullet.test(line)) return takeList(lines, at, bullet, false);
  if (numbered.test(line)) return takeList(lines, at, numbered, true);
  return takeText(lines, at);
}

/** A heading may end with signs like those that it begins with. One step each: a pattern would look at all again. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return title.slice(0, end).trimEnd();
}

/** Up to the closing fence, or the end. */
function takeFence(lines: string[], at: number): Taken {
  const rest = lines.slice(at + 1);
  const length = rest.findIndex((line) => fence.test(line));
  const inside = length < 0 ? rest : rest.slice(0, length);
  return [{ kind: 'pre', text: inside.join('\n') }, at + inside.length + 2];
}

/** The last groups of the lines from here on that a pattern fits. */
function takeWhile(lines: string[], at: number, pattern: RegExp): [inner: string[], next: number] {
  const inner: string[] = [];
  for (let match = pattern.exec(lines[at]!); match; match = pattern.exec(lines[at] ?? '')) {
    inner.push(match.at(-1)!);
    at += 1;
  }
  return [inner, at];
}

function takeList(lines: string[], at: number, pattern: RegExp, ordered: boolean): Taken {
  const start = ordered ? Number(pattern.exec(lines[at]!)![1]) : 1;
  const [inner, next] = takeWhile(lines, at, pattern);
  return [{ kind: 'list', ordered, start, items: inner.map((item) => parseInline(item)) }, next];
}

/** Lines up to an empty one, or to what begins something else. */
function takeText(lines: string[], at: number): Taken {
  let next = at + 1;
  while (next < lines.length && lines[next]!.trim() !== '' && !starts.some((start) => start.test(lines[next]!))) next++;
  return [{ kind: 'paragraph', children: parseInline(lines.slice(at, next).join('\n')) }, next];
}

type Maker = (match: RegExpExecArray, depth: number) => Inline;

const nested =
  (kind: 'strong' | 'emphasis' | 'deleted'): Maker =>
  (match, depth) => ({ kind, children: parseInline(match[1]!, depth + 1) });

const link = (address: string, label: Inline[]): Inline => ({ kind: 'link', address, children: label });

/**
 * What can begin at a place, in this order. Each repetition is bounded by a sign that ends it, or that can not follow:
 * none looks back.
 */
const rules: [pattern: RegExp, make: Maker][] = [
  [/\\([!-/:-@[-`{-~])/y, ([, sign]) => ({ kind: 'text', text: sign! })],
  [/`([^`\n]+)`/y, ([, text]) => ({ kind: 'code', text: text! })],
  [/\*\*(?=\S)([^*]+(?:\*[^*]+)*?\*?)\*\*(?!\*)/y, nested('strong')],
  [/__(?=\S)([^_]+)__(?!\w)/y, nested('strong')],
  [/~~(?=\S)([^~]+)~~/y, nested('deleted')],
  [/\*(?=[^\s*])([^*\n]+)\*/y, nested('emphasis')],
  [/_(?=[^\s_])([^_\n]+)_(?!\w)/y, nested('emphasis')],
  [
    /!?\[([^[\]\n]*)\]\(\s*(?!\s)([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"\n]*")?\s*\)/y,
    ([, label, address], depth) => link(address!, parseInline(label || address!, depth + 1)),
  ],
  [/<((?:https?:\/\/|mailto:|tel:)[^\s<>]+)>/iy, ([, address]) => link(address!, [{ kind: 'text', text: address! }])],
  // In running text an address does not end with the sentence's own signs, and brackets in it come in pairs.
  [
    /https?:\/\/(?:[^\s<>"'`*()]|\([^\s<>"'`*()]*\))*(?:[^\s<>"'`*().,:;!?]|\([^\s<>"'`*()]*\))/iy,
    ([address]) => link(address, [{ kind: 'text', text: address }]),
  ],
];

/** A `_` or a bare address begins nothing inside a word. */
const insideWord = (text: string, at: number): boolean => at > 0 && /\w/.test(text[at - 1]!) && /\w/.test(text[at]!);

const special = /[\\`*_~![<h\n]/gi;

function parseInline(text: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  const flush = (to: number) => {
    if (to > from) found.push({ kind: 'text', text: text.slice(from, to) });
  };
  for (let at = nextSpecial(text, 0); at >= 0; ) {
    const taken = takeInline(text, at, depth);
    if (taken) {
      flush(at);
      found.push(taken.inline);
      from = taken.next;
    }
    at = nextSpecial(text, taken ? taken.next : at + 1);
  }
  flush(text.length);
  return found;
}

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from;
  return special.exec(text)?.index ?? -1;
}

function takeInline(text: string, at: number, depth: number): { inline: Inline; next: number } | null {
  if (text[at] === '\n') return { inline: { kind: 'break' }, next: at + 1 };
  if (depth > maxDepth || insideWord(text, at)) return null;
  for (const [pattern, make] of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { inline: make(match, depth), next: at + match[0].length };
  }
  return null;
}
