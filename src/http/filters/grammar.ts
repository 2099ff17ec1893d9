import { type Clause, type Field, invalidFilter, type Operand } from '#actors/filter.ts';

/** Bounds that keep the SQL far below SQLite's own: 50,000 bytes of a pattern, 1,000 levels of an expression. */
const maximumBytes = 8192;
const maximumDepth = 64;
const maximumComparisons = 256;

/**
 * The text of a filter as its tree: a subset of the Lucene query syntax, the same for every list. How people write
 * filters is the API's affair; readers take trees, and know fields.
 * expression := all (OR all)* · all := clause ((AND)? clause)* · clause := NOT clause | ( expression ) | field : term
 * term := value | [ end TO end ] | ( expression of values for the same field )
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

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #comparisons = 0;

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
    while (this.#take(/OR(?=[\s()"[]|$)/y)) clauses.push(this.#all(field));
    return clauses.length === 1 ? clauses[0]! : { kind: 'any', clauses };
  }

  #all(field: Field | null): Clause {
    const clauses = [this.#clause(field)];
    for (;;) {
      const and = this.#take(/AND(?=[\s()"[]|$)/y);
      if (!and && (this.#ended() || this.#sees(/\)|OR(?=[\s()"[]|$)/y))) break;
      clauses.push(this.#clause(field));
    }
    return clauses.length === 1 ? clauses[0]! : { kind: 'all', clauses };
  }

  #clause(field: Field | null): Clause {
    if (this.#take(/NOT(?=[\s()"[]|$)/y)) {
      return { kind: 'not', clause: this.#deeper(() => this.#clause(field)) };
    }
    if (this.#take(/\(/y)) return this.#group(field);
    if (field) return this.#term(field);
    const named = this.#field();
    return this.#take(/\(/y) ? this.#group(named) : this.#term(named);
  }

  #group(field: Field | null): Clause {
    const start = this.#at - 1;
    const clause = this.#deeper(() => this.#any(field));
    if (!this.#take(/\)/y)) throw invalidFilter(start, 'A parenthesis without its end');
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
      const part = this.#match(/\\([\s\S])|(\.)|[^\s\\.:()[\]"]+/y);
      if (!part) break;
      if (part[2]) path.push('');
      else path[path.length - 1] += part[1] ?? part[0];
    }
    if (this.#at === at) throw invalidFilter(at, `A field is missing before ${this.#seen()}`);
    if (path.includes('')) throw invalidFilter(at, 'A field with an empty part');
    if (!this.#take(/:/y)) throw invalidFilter(this.#at, `A ":" is missing after the field`);
    return { path, at };
  }

  #term(field: Field): Clause {
    this.#comparisons += 1;
    if (this.#comparisons > maximumComparisons) {
      throw invalidFilter(field.at, `More than ${maximumComparisons} comparisons`);
    }
    if (!this.#take(/\[/y)) return { kind: 'match', field, value: this.#value() };
    const start = this.#at - 1;
    const from = this.#end();
    if (!this.#take(/TO(?=[\s"])/y)) throw invalidFilter(this.#at, 'A range is written [a TO b]; TO is missing');
    const to = this.#end();
    if (!this.#take(/\]/y)) throw invalidFilter(start, 'A range without its end');
    return { kind: 'range', field, from, to };
  }

  /** An end of a range: null for `*`. */
  #end(): Operand | null {
    const value = this.#value();
    if (value.pieces.length === 1) return value;
    if (value.pieces.every((piece) => piece === '')) return null;
    throw invalidFilter(value.at, 'A wildcard inside the end of a range');
  }

  #value(): Operand {
    this.#skip();
    const at = this.#at;
    if (this.#take(/"/y)) {
      const quoted = this.#match(/((?:[^"\\]|\\[\s\S])*)"/y);
      if (!quoted) throw invalidFilter(at, 'A quotation mark without its end');
      return { pieces: [quoted[1]!.replace(/\\([\s\S])/g, '$1')], at };
    }
    const pieces = [''];
    for (;;) {
      const part = this.#match(/\\([\s\S])|(\*)|[^\s\\*()[\]"]+/y);
      if (!part) break;
      if (part[2]) pieces.push('');
      else pieces[pieces.length - 1] += part[1] ?? part[0];
    }
    if (this.#at === at) throw invalidFilter(at, `A value is missing before ${this.#seen()}`);
    return { pieces, at };
  }

  #skip(): void {
    this.#match(/\s*/y);
  }

  #take(pattern: RegExp): boolean {
    this.#skip();
    return this.#match(pattern) !== null;
  }

  #sees(pattern: RegExp): boolean {
    this.#skip();
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
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
