import { requestCause } from '#actors/cause.ts';
import { durably } from '#src/dispatch/durably.ts';
import { callerName, type Visitor } from '#src/security/caller.ts';
import type { Services } from '#src/services.ts';

/** What visitors tell their conversation besides messages. */
export class VisitReports {
  readonly #services: Pick<Services, 'clock' | 'commandsFor' | 'ids' | 'store'>;
  readonly #visitor: Visitor;

  constructor(services: Pick<Services, 'clock' | 'commandsFor' | 'ids' | 'store'>, visitor: Visitor) {
    this.#services = services;
    this.#visitor = visitor;
  }

  get conversationId(): string {
    return this.#visitor.conversationId;
  }

  /**
   * Messages of ours are with the visitor. Tries until it is heard.
   * @param stopping whether there is no time left for it
   * @throws Stopping, and every failure that trying again does not mend
   */
  async collected(messageIds: string[], stopping: () => boolean): Promise<void> {
    const { clock, commandsFor, ids } = this.#services;
    const origin = { ...this.#origin(), idempotencyKey: ids.uuid() };
    await durably({ clock, commandsFor, stopping }, origin, (commands) =>
      commands.send('conversation', this.conversationId, 'messages.collect', { messageIds }),
    );
  }

  /** The visitor types, or stopped. Before the first message there is no conversation that could show it. */
  async typing(typing: boolean): Promise<void> {
    const { commandsFor, store } = this.#services;
    const { conversationId } = this;
    if (store.conversations.find(conversationId) === null) return;
    await commandsFor(this.#origin()).send('conversation', conversationId, 'contact.typing', { typing });
  }

  #origin(): { cause: string; caller: string } {
    const caller = callerName(this.#visitor);
    return { cause: requestCause(caller, this.#services.ids.uuid()), caller };
  }
}
