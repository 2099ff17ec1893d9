import { OrdinalSet } from './ordinals.ts';
import { isMadeOf } from './patterns.ts';

/** What of a conversation's row is kept at hand. */
export interface SearchedConversation {
  key: number;
  id: Uint8Array;
  channel_id: Uint8Array | null;
  source: string;
  created_at: number | null;
  display_name: string;
  unread_count: number;
  workflow: string | null;
  last_message: number | null;
  last_message_at: number;
}

const firstCapacity = 1_024;
const bytesOfId = 16;

/** ConversationColumns of whole numbers; NaN: null. */
const numeric = ['key', 'created_at', 'unread_count', 'last_message', 'last_message_at'] as const;
type Numeric = (typeof numeric)[number];

/** A column of few different texts: each is kept once. */
class Words {
  readonly #texts: string[] = [];
  readonly #codes = new Map<string, number>();
  #column = new Uint32Array(firstCapacity);

  put(ordinal: number, text: string): void {
    let code = this.#codes.get(text);
    if (code === undefined) {
      code = this.#texts.push(text) - 1;
      this.#codes.set(text, code);
    }
    this.#column[ordinal] = code;
  }

  grow(capacity: number): void {
    this.#column = grown(this.#column, new Uint32Array(capacity));
  }

  /** Asks each different text once. */
  where(size: number, test: (text: string) => boolean): OrdinalSet {
    const answers = this.#texts.map(test);
    return OrdinalSet.where(size, (ordinal) => answers[this.#column[ordinal]!]!);
  }
}

/**
 * What filters compare that is short, of every conversation, by its ordinal: in memory, since a scan of it takes less
 * than a millisecond for 100,000, and what changes with each message need not be written a second time.
 */
export class ConversationColumns {
  size = 0;
  #capacity = firstCapacity;
  readonly #numbers = Object.fromEntries(numeric.map((name) => [name, new Float64Array(firstCapacity)])) as Record<
    Numeric,
    Float64Array<ArrayBuffer>
  >;
  #ids = new Uint8Array(firstCapacity * bytesOfId);
  /** Lower-case names, with a space around. */
  readonly #names: string[] = [];
  readonly sources = new Words();
  readonly channels = new Words();
  readonly workflows = new Words();

  put(ordinal: number, row: SearchedConversation): void {
    this.#reach(ordinal + 1);
    for (const name of numeric) this.#numbers[name][ordinal] = row[name] ?? Number.NaN;
    this.#ids.set(row.id, ordinal * bytesOfId);
    this.#names[ordinal] = ` ${row.display_name.normalize('NFC').toLowerCase()} `;
    this.sources.put(ordinal, row.source);
    this.channels.put(ordinal, row.channel_id === null ? '' : Buffer.from(row.channel_id).toString('hex'));
    this.workflows.put(ordinal, row.workflow ?? '');
  }

  /** A column, by ordinals. Valid until something is put. */
  numbers(name: Numeric): Float64Array {
    return this.#numbers[name];
  }

  /** Those that have appeared. */
  present(): OrdinalSet {
    const created = this.#numbers.created_at;
    return OrdinalSet.where(this.size, (ordinal) => !Number.isNaN(created[ordinal]!));
  }

  whereNumber(name: Numeric, test: (value: number) => boolean): OrdinalSet {
    const column = this.#numbers[name];
    return OrdinalSet.where(this.size, (ordinal) => test(column[ordinal]!));
  }

  whereName(test: (lowerCase: string) => boolean): OrdinalSet {
    return OrdinalSet.where(this.size, (ordinal) => {
      const name = this.#names[ordinal];
      return name !== undefined && test(name);
    });
  }

  /** @param pieces of 32 hexadecimal digits, with anything between them */
  whereId(pieces: readonly string[]): OrdinalSet {
    const [first = ''] = pieces;
    // What an id begins with is compared as bytes: most are left out by it.
    const begin = Buffer.from(first, 'hex').subarray(0, bytesOfId);
    const ids = Buffer.from(this.#ids.buffer, 0, this.size * bytesOfId);
    return OrdinalSet.where(this.size, (ordinal) => {
      const at = ordinal * bytesOfId;
      for (let n = 0; n < begin.length; n++) if (ids[at + n] !== begin[n]) return false;
      return isMadeOf(pieces, ids.toString('hex', at, at + bytesOfId));
    });
  }

  #reach(size: number): void {
    if (size > this.#capacity) {
      while (size > this.#capacity) this.#capacity *= 2;
      for (const name of numeric) this.#numbers[name] = grown(this.#numbers[name], new Float64Array(this.#capacity));
      for (const words of [this.sources, this.channels, this.workflows]) words.grow(this.#capacity);
      this.#ids = grown(this.#ids, new Uint8Array(this.#capacity * bytesOfId));
    }
    // What is passed over belongs to nobody yet.
    if (size > this.size) {
      this.#numbers.created_at.fill(Number.NaN, this.size, size);
      this.size = size;
    }
  }
}

function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
