import type { Bus, Cancel } from '#actors/ports.ts';
import { typingOfAny, typingSubject } from '#src/nats/subjects.ts';

/** Told whether an agent types. */
export type TypingListener = (typing: boolean) => void;

/**
 * Agents who type, to whoever shows it, on any node. Kept nowhere: what gets lost on the way is out of date by the next
 * key that is pressed.
 */
export class Typing {
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly #listeners = new Map<string, Set<TypingListener>>();
  #unsubscribe: Cancel | null = null;

  constructor(bus: Pick<Bus, 'publish' | 'subscribe'>) {
    this.#bus = bus;
  }

  tell(conversationId: string, typing: boolean): void {
    this.#bus.publish(typingSubject(conversationId), Buffer.from(typing ? '1' : '0'));
  }

  on(conversationId: string, listener: TypingListener): Cancel {
    this.#unsubscribe ??= this.#bus.subscribe(typingOfAny, ({ subject, data }) => this.#heard(subject, data));
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(conversationId);
    };
  }

  close(): void {
    this.#unsubscribe?.();
  }

  #heard(subject: string, data: Uint8Array): void {
    const conversationId = subject.slice(subject.lastIndexOf('.') + 1);
    for (const listener of this.#listeners.get(conversationId) ?? []) listener(data[0] === '1'.charCodeAt(0));
  }
}
