import type { Message } from './contract.ts';

/** The Messages of a conversation in the hub's order, each once. */
export class Timeline {
  #messages: Message[] = [];

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** What the hub lists is right; what it does not list any more, or not yet, stays before or behind it. */
  takeList(list: readonly Message[]): void {
    const listed = new Set(list.map(({ id }) => id));
    const others = this.#messages.filter(({ id }) => !listed.has(id));
    const isOlder = ({ sent_at }: Message) => list.length > 0 && sent_at < list[0]!.sent_at;
    this.#messages = [...others.filter(isOlder), ...list, ...others.filter((message) => !isOlder(message))];
  }

  /** @returns whether it was not there yet */
  take(message: Message): boolean {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    this.#messages = at < 0 ? [...this.#messages, message] : this.#messages.with(at, message);
    return at < 0;
  }
}
