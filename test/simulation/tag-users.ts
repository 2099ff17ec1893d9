import type { TagJson } from '#actors/representation.ts';
import { contacts } from './cast.ts';
import type { Clients } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

/** People who make tags, put them on conversations, take them off and delete them, as chance will have it. */
export class TagUsers {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #ledger: Ledger;
  /** Ids of tags that were made; some are deleted by now. */
  readonly #made: string[] = [];

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    this.#clients = clients;
    this.#ledger = ledger;
  }

  create(): void {
    this.#clients.ask({
      name: 'create tag',
      path: '/tags.create',
      body: { name: `Tag ${this.#made.length}`, color: 'tag-red' },
      inDoubt: 'key',
      acknowledged: ({ body }) => this.#made.push((body as TagJson).id),
    });
  }

  tag(): void {
    const tag = this.#world.random.pick(this.#made);
    if (tag === undefined) {
      this.create();
      return;
    }
    const { conversation } = this.#world.random.pick(contacts);
    this.#clients.ask({
      name: `tag ${conversation}`,
      path: '/conversations.tag',
      body: { conversation_id: conversation, tag_id: tag },
      inDoubt: 'again',
      acknowledged: () => this.#ledger.tagged.push({ conversation, tag }),
    });
  }

  untag(): void {
    const tagged = this.#world.random.pick(this.#ledger.tagged);
    if (tagged === undefined) return;
    const { conversation, tag } = tagged;
    this.#ledger.untagged.push(tagged);
    this.#clients.ask({
      name: `untag ${conversation}`,
      path: '/conversations.untag',
      body: { conversation_id: conversation, tag_id: tag },
      inDoubt: 'key',
    });
  }

  delete(): void {
    const tag = this.#world.random.pick(this.#made);
    if (tag === undefined) return;
    this.#ledger.tagsToDelete.add(tag);
    this.#clients.ask({ name: `delete tag ${tag}`, path: '/tags.delete', body: { id: tag }, inDoubt: 'key' });
  }
}
