import { Agents } from './agents.ts';
import type { Clients } from './clients.ts';
import { ComponentUsers } from './component-users.ts';
import { Erasures } from './erasures.ts';
import { Faults } from './faults.ts';
import { Followers } from './followers.ts';
import type { Ledger } from './ledger.ts';
import { People } from './people.ts';
import { SourceApps } from './source-apps.ts';
import { TagUsers } from './tag-users.ts';
import { Visitors } from './visitors.ts';
import { WebhookUsers } from './webhook-users.ts';
import type { World } from './world.ts';

/** How likely each step is. */
const weights = {
  ...{ ingest: 20, say: 4, connection: 4 },
  ...{ send: 22, start: 5, resend: 6, markRead: 5, setState: 4, rename: 2, upsert: 6 },
  ...{ mergeContacts: 10, updateContact: 2, deleteContact: 0.2, importContacts: 1 },
  ...{ visit: 8, answer: 8, move: 4, disturbVisitor: 3, chatConnection: 1 },
  ...{ write: 4, renamePerson: 1, erase: 1 },
  ...{ createTag: 2, tag: 5, untag: 2, deleteTag: 1.5 },
  ...{ subscribe: 1, updateWebhook: 1, replay: 1, lookAtWebhooks: 1, listen: 1, poll: 0.5 },
  ...{ install: 1, configure: 1 },
  ...{ cut: 9, kill: 2, disk: 2, weather: 5, mood: 7, receiverMood: 7, disturb: 4, log: 2, leap: 2, setClock: 2 },
};

const second = 1_000;

/** Besides, with two nodes. */
const clusterWeights = { cutOff: 3, take: 3, handOver: 2 } as const;

type Step = keyof typeof weights | keyof typeof clusterWeights;

/** What happens in a run, step by step. */
export class Scenario {
  readonly #world: World;
  readonly webhooks: WebhookUsers;
  readonly followers: Followers;
  readonly components: ComponentUsers;
  readonly visitors: Visitors;
  readonly #sources: SourceApps;
  readonly #agents: Agents;
  readonly #faults: Faults;
  readonly #steps: Record<Step, () => void>;

  constructor(world: World, clients: Clients, ledger: Ledger) {
    this.#world = world;
    const sources = new SourceApps(world, clients, ledger);
    const agents = new Agents(world, clients, ledger);
    const tags = new TagUsers(world, clients, ledger);
    const faults = new Faults(world, clients);
    const people = new People(world, clients);
    const erasures = new Erasures(world, clients, sources);
    const webhooks = new WebhookUsers(world, clients);
    this.#sources = sources;
    this.#agents = agents;
    this.#faults = faults;
    this.webhooks = webhooks;
    const components = new ComponentUsers(world, clients);
    this.components = components;
    const visitors = new Visitors(world, clients);
    this.visitors = visitors;
    const followers = new Followers(world);
    this.followers = followers;
    this.#steps = {
      ingest: () => sources.ingest(),
      say: () => sources.say(),
      connection: () => sources.connection(),
      send: () => agents.send(),
      start: () => agents.start(),
      resend: () => agents.resend(),
      markRead: () => agents.markRead(),
      setState: () => agents.setState(),
      rename: () => agents.rename(),
      upsert: () => agents.upsert(),
      mergeContacts: () => people.merge(),
      updateContact: () => people.update(),
      deleteContact: () => people.remove(),
      importContacts: () => people.bring(),
      visit: () => visitors.say(),
      answer: () => {
        const conversation = visitors.someConversation();
        if (conversation !== undefined) agents.answer(conversation);
      },
      move: () => visitors.move(),
      disturbVisitor: () => visitors.disturb(),
      chatConnection: () => visitors.connection(),
      write: () => erasures.write(),
      renamePerson: () => erasures.rename(),
      erase: () => erasures.erase(),
      createTag: () => tags.create(),
      tag: () => tags.tag(),
      untag: () => tags.untag(),
      deleteTag: () => tags.delete(),
      subscribe: () => webhooks.subscribe(),
      updateWebhook: () => webhooks.update(),
      replay: () => webhooks.replay(),
      lookAtWebhooks: () => webhooks.look(),
      install: () => components.install(),
      configure: () => components.configure(),
      cut: () => faults.cut(),
      kill: () => faults.kill(),
      disk: () => faults.disk(),
      weather: () => faults.weather(),
      mood: () => faults.mood(),
      listen: () => followers.listen(),
      poll: () => followers.poll(),
      disturb: () => followers.disturb(),
      receiverMood: () => faults.receiverMood(),
      log: () => faults.log(),
      setClock: () => faults.setClock(),
      cutOff: () => faults.cutOff(),
      take: () => faults.take(),
      handOver: () => faults.handOver(),
      leap: () => faults.leap(),
    };
  }

  /** Sources, channels, the first webhooks and followers, before any fault. */
  prepare(): void {
    this.#sources.prepare();
    this.visitors.prepare();
    this.followers.prepare();
    for (let count = this.#world.random.int(3); count > 0; count--) this.webhooks.subscribe();
  }

  /** What needs a hub that is quiet and well. Afterwards it has to get quiet again. */
  async epilogue(): Promise<void> {
    const { random } = this.#world;
    if (random.chance(0.5)) await this.#faults.wrongForAMinute();
    if (random.chance(0.5)) return;
    this.#sources.connectAll();
    await this.#world.time.pass(second);
    this.#agents.reuse();
  }

  step(): void {
    const { random, trace, cluster } = this.#world;
    const name = random.weighted<Step>(cluster === null ? weights : { ...weights, ...clusterWeights });
    trace.note('step', name);
    this.#steps[name]();
  }
}
