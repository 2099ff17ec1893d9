import type { RequestTemplate } from './options.ts';

const numberDigits = 12;
const timeDigits = 13;
/** The minimal standard generator (Park and Miller): the same walk in every run, at no cost. */
const multiplier = 48_271;
const modulus = 2 ** 31 - 1;

/** Writes the requests of a template, one after the other, the head prebuilt. */
export class RequestWriter {
  readonly #template: RequestTemplate;
  readonly #start: string;
  readonly #pieces: string[];
  #number: number;
  #random = 1;
  #turn = 0;

  /** @throws Error when the values differ in length */
  constructor(template: RequestTemplate, host: string, firstNumber: number) {
    this.#template = template;
    this.#number = firstNumber;
    this.#pieces = template.body.item.split(/(\{n\}|\{now\}|\{value\})/);
    const valueBytes = template.values[0]?.length ?? 0;
    if (template.values.some((value) => value.length !== valueBytes)) throw new Error('values differ in length');
    const headers = Object.entries(template.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = [`POST ${template.path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`, ...headers];
    this.#start = `${head.join('')}Content-Length: ${this.#bodyLength(valueBytes)}\r\n\r\n${template.body.head}`;
  }

  /** The next request. All of it is latin1. */
  next(): string {
    const { body, itemsPerRequest } = this.#template;
    const now = String(Date.now());
    let text = this.#start;
    for (let item = 0; item < itemsPerRequest; item++) {
      if (item > 0) text += body.separator;
      text += this.#item(now);
    }
    return text + body.tail;
  }

  #item(now: string): string {
    const value = this.#value();
    let text = '';
    for (const piece of this.#pieces) {
      if (piece === '{n}') text += String(this.#number++).padStart(numberDigits, '0');
      else if (piece === '{now}') text += now;
      else if (piece === '{value}') text += value;
      else text += piece;
    }
    return text;
  }

  #value(): string {
    const { values, pick } = this.#template;
    if (pick === 'in-turn') return values[this.#turn++ % values.length]!;
    this.#random = (this.#random * multiplier) % modulus;
    return values[this.#random % values.length]!;
  }

  #bodyLength(valueBytes: number): number {
    const { body, itemsPerRequest } = this.#template;
    const sizes: Record<string, number> = { '{n}': numberDigits, '{now}': timeDigits, '{value}': valueBytes };
    const item = this.#pieces.reduce((sum, piece) => sum + (sizes[piece] ?? piece.length), 0);
    const separators = body.separator.length * (itemsPerRequest - 1);
    return body.head.length + item * itemsPerRequest + separators + body.tail.length;
  }
}
