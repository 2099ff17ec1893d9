import type { Message } from './contract.ts';

/** The Messages of a conversation in the hub's order, each once. */
export class Timeline {
  #messages: Message[] = [];

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** One that nobody had may come behind younger ones. @returns whether it was not there yet */
  take(message: Message): boolean {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    const behind = this.#messages.findLastIndex(({ sent_at }) => sent_at <= message.sent_at) + 1;
    this.#messages = at < 0 ? this.#messages.toSpliced(behind, 0, message) : this.#messages.with(at, message);
    return at < 0;
  }
}
