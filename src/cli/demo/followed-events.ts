import type { ApiClient } from '../api-client.ts';

/** The message part of the events that the demo follows. */
export interface DemoMessage {
  id: string;
  content: unknown;
  delivery_state: 'pending' | 'delivered' | 'failed';
  from_contact: boolean;
  metadata?: { error?: string };
}

interface DemoEvent {
  type: string;
  cursor: string;
  payload: { message?: DemoMessage };
}

const waitMs = 15_000;
const pollEveryMs = 100;

/** Follows the events of one conversation from its beginning, each once and in order. */
export class FollowedEvents {
  readonly #client: ApiClient;
  readonly #conversation: string;
  readonly #interrupted: AbortSignal;
  #after: string | undefined;
  #waiting: DemoMessage[] = [];

  constructor(client: ApiClient, conversation: string, interrupted: AbortSignal) {
    this.#client = client;
    this.#conversation = conversation;
    this.#interrupted = interrupted;
  }

  /**
   * The next state of a message that `wanted` accepts; events before it are passed over.
   * @throws Error when none comes within 15 s; the reason of the interruption.
   */
  async next(wanted: (message: DemoMessage) => boolean): Promise<DemoMessage> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      this.#interrupted.throwIfAborted();
      for (let message = this.#waiting.shift(); message; message = this.#waiting.shift()) {
        if (wanted(message)) return message;
      }
      if (Date.now() > deadline) throw new Error('the event that the demo waits for did not come within 15 s');
      if (!(await this.#fetch())) await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
  }

  async #fetch(): Promise<boolean> {
    const { data } = await this.#client.call<{ data: DemoEvent[] }>('events.list', {
      conversation_id: this.#conversation,
      types: ['message.created', 'message.updated'],
      ...(this.#after !== undefined && { after: this.#after }),
    });
    this.#after = data.at(-1)?.cursor ?? this.#after;
    this.#waiting.push(...data.flatMap(({ payload }) => payload.message ?? []));
    return data.length > 0;
  }
}
