import { type Clause, type Field, invalidFilter, type Operand } from '#actors/filter.ts';

/** Bounds that keep the SQL far below SQLite's own: 50,000 bytes of a pattern, 1,000 levels of an expression. */
const maximumBytes = 8192;
const maximumDepth = 64;
const maximumTerms = 32;

/**
 * The text of a filter as its tree: a subset of the Lucene query syntax, the same for every list. How people write
 * filters is the API's affair; readers take trees, and know fields. What Lucene has and this has not is refused.
 * expression := all (OR all)* · all := clause (AND? clause)* · clause := NOT clause | ( expression ) | *:* | (field :)? term
 * term := value | [ end TO end ] | ( expression of values for the same field )
 * `&&`, `||`, `!` and `-` are AND, OR, NOT and NOT; `+` means nothing more; a brace excludes its end of a range.
 * @returns null for blank text, which is no condition
 * @throws Failure `invalid_filter` with the position (from 1) of the first problem
 */
export function parseFilter(text: string): Clause | null {
  if (Buffer.byteLength(text) > maximumBytes) throw invalidFilter(0, `More than ${maximumBytes} bytes`);
  const zero = text.indexOf('\0');
  if (zero >= 0) throw invalidFilter(zero, 'A NUL character');
  const parser = new Parser(text);
  return text.trim() === '' ? null : parser.whole();
}

/** Words are operators only in front of what ends a word. */
const and = /AND(?=[\s()"[{]|$)|&&/y;
const or = /OR(?=[\s()"[{]|$)|\|\|/y;
const not = /NOT(?=[\s()"[{]|$)|[-!]/y;
const namesField = /(?:\\[\s\S]|[^\s\\:()[\]{}"])+\s*:/y;

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #terms = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Clause {
    const clause = this.#any(null);
    if (this.#at < this.#text.length) throw invalidFilter(this.#at, `An unexpected ${this.#seen()}`);
    return clause;
  }

  /** `field` is that of the enclosing `field:( … )`, where values stand alone. */
  #any(field: Field | null): Clause {
    const clauses = [this.#all(field)];
    while (this.#take(or)) clauses.push(this.#all(field));
    return clauses.length === 1 ? clauses[0]! : { kind: 'any', clauses };
  }

  #all(field: Field | null): Clause {
    const clauses = [this.#clause(field)];
    while (this.#take(and) || !(this.#ended() || this.#sees(/\)/y) || this.#sees(or)))
      clauses.push(this.#clause(field));
    return clauses.length === 1 ? clauses[0]! : { kind: 'all', clauses };
  }

  #clause(field: Field | null): Clause {
    const operator = this.#seesMatch(and) ?? this.#seesMatch(or);
    if (operator !== null) throw invalidFilter(this.#at, `A term is missing before "${operator}"`);
    const sign = this.#seesMatch(/[-+!](?=\s|$)/y);
    if (sign !== null) throw invalidFilter(this.#at, `A term is missing behind "${sign}"`);
    if (this.#take(not)) return { kind: 'not', clause: this.#deeper(() => this.#clause(field)) };
    if (this.#take(/\+/y)) return this.#deeper(() => this.#clause(field));
    if (this.#take(/\(/y)) return this.#group(field);
    if (field !== null) return this.#term(field);
    if (this.#take(/\*:\*(?=[\s)]|$)/y)) return { kind: 'all', clauses: [] };
    if (!this.#sees(namesField)) return this.#bare();
    const named = this.#field();
    return this.#take(/\(/y) ? this.#group(named) : this.#term(named);
  }

  #group(field: Field | null): Clause {
    const start = this.#at - 1;
    const clause = this.#deeper(() => this.#any(field));
    if (!this.#take(/\)/y)) throw invalidFilter(start, 'A parenthesis without its end');
    this.#refuseOperator();
    return clause;
  }

  #deeper(parse: () => Clause): Clause {
    this.#depth += 1;
    if (this.#depth > maximumDepth) throw invalidFilter(this.#at - 1, `More than ${maximumDepth} levels`);
    const clause = parse();
    this.#depth -= 1;
    return clause;
  }

  #field(): Field {
    this.#skip();
    const at = this.#at;
    const path = [''];
    for (;;) {
      const part = this.#match(/\\([\s\S])|(\.)|[^\s\\.:()[\]{}"]+/y);
      if (!part) break;
      if (part[2]) path.push('');
      else path[path.length - 1] += part[1] ?? part[0];
    }
    if (path.includes('')) throw invalidFilter(at, 'A field with an empty part');
    this.#take(/:/y);
    return { path, at };
  }

  /** A value without a field. */
  #bare(): Clause {
    this.#count(this.#at);
    if (this.#sees(/[[{:]/y)) throw invalidFilter(this.#at, `A field is missing before ${this.#seen()}`);
    return { kind: 'match', field: null, value: this.#value('term') };
  }

  #term(field: Field): Clause {
    this.#count(field.at);
    if (this.#sees(/[[{]/y)) return this.#range(field);
    return { kind: 'match', field, value: this.#value('value') };
  }

  #count(at: number): void {
    this.#terms += 1;
    if (this.#terms > maximumTerms) throw invalidFilter(at, `More than ${maximumTerms} terms`);
  }

  #range(field: Field): Clause {
    const start = this.#at;
    const withFrom = this.#take(/\[/y);
    if (!withFrom) this.#take(/\{/y);
    const from = this.#end();
    if (!this.#take(/TO(?=[\s"])/y)) throw invalidFilter(this.#at, 'A range is written [a TO b]; TO is missing');
    const to = this.#end();
    const withTo = this.#take(/\]/y);
    if (!withTo && !this.#take(/\}/y)) throw invalidFilter(start, 'A range without its end');
    return {
      kind: 'range',
      field,
      from: from && { ...from, excluded: !withFrom },
      to: to && { ...to, excluded: !withTo },
    };
  }

  /** An end of a range: null for `*`. */
  #end(): Operand | null {
    const value = this.#value('value');
    if (value.pieces.length === 1) return value;
    if (value.pieces.every((piece) => piece === '')) return null;
    throw invalidFilter(value.at, 'A wildcard inside the end of a range');
  }

  /** @param what it is called where it is missing */
  #value(what: 'term' | 'value'): Operand {
    this.#skip();
    const at = this.#at;
    this.#refuseForm();
    if (this.#take(/"/y)) {
      const quoted = this.#match(/((?:[^"\\]|\\[\s\S])*)"/y);
      if (!quoted) throw invalidFilter(at, 'A quotation mark without its end');
      this.#refuseOperator();
      return { pieces: [quoted[1]!.replace(/\\([\s\S])/g, '$1')], at };
    }
    const pieces = [''];
    for (;;) {
      const part = this.#match(/\\([\s\S])|(\*)|[^\s\\*()[\]{}"?~^]+/y);
      if (!part) break;
      if (part[2]) pieces.push('');
      else pieces[pieces.length - 1] += part[1] ?? part[0];
    }
    this.#refuseOperator();
    if (this.#at === at) throw invalidFilter(at, `A ${what} is missing before ${this.#seen()}`);
    return { pieces, at };
  }

  /** What begins like a value and is something else in Lucene. */
  #refuseForm(): void {
    if (this.#sees(/\//y)) {
      throw invalidFilter(this.#at, 'Regular expressions are not supported (\\/ is the sign itself)');
    }
    const sign = this.#seesMatch(/[<>]/y);
    if (sign !== null) {
      throw invalidFilter(this.#at, `The operator "${sign}" is not supported (a range is written [a TO b])`);
    }
  }

  /** What follows a term at once and changes it in Lucene. */
  #refuseOperator(): void {
    const sign = /[?~^]/.exec(this.#text[this.#at] ?? '')?.[0];
    if (sign === undefined) return;
    throw invalidFilter(this.#at, `The operator "${sign}" is not supported (\\${sign} is the sign itself)`);
  }

  #skip(): void {
    this.#match(/\s*/y);
  }

  #take(pattern: RegExp): boolean {
    this.#skip();
    return this.#match(pattern) !== null;
  }

  #sees(pattern: RegExp): boolean {
    return this.#seesMatch(pattern) !== null;
  }

  /** What of the pattern comes next. */
  #seesMatch(pattern: RegExp): string | null {
    this.#skip();
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }

  #ended(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  /** Moves behind the sticky pattern when it stands here. */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #seen(): string {
    const [symbol] = this.#text.slice(this.#at);
    return symbol === undefined ? 'the end' : JSON.stringify(symbol);
  }
}
