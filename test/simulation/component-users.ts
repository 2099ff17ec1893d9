import type { Clients } from './clients.ts';
import type { World } from './world.ts';

/** What was asked of a component last, while nobody else asked for anything of it. */
interface Wish {
  /** Nobody knows yet, or ever, what came of it. */
  open: boolean;
  /** How often something was asked of it. */
  asked: number;
  status?: 'installed' | 'uninstalled';
  /** The value that it was configured with last. */
  account?: string;
}

const webhooks = 'integration-webhook';
const configured = 'sources-telco';
const names = [webhooks, configured, 'media-resolver'];

/** Those who install, uninstall and configure components: one request at a time for each. */
export class ComponentUsers {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #wishes = new Map<string, Wish>(names.map((name) => [name, { open: false, asked: 0 }]));
  #made = 0;

  constructor(world: World, clients: Clients) {
    this.#world = world;
    this.#clients = clients;
  }

  install(): void {
    const { random } = this.#world;
    this.#wishFor(random.pick(names)!, random.chance(0.5) ? 'installed' : 'uninstalled');
  }

  configure(): void {
    const account = `account-${this.#made++}`;
    const data = { account_sid: account, auth_token: 'a-token-of-the-account' };
    const body = { components: [{ name: configured, enabled: true, data }] };
    this.#ask(configured, '/components.update', body, (wish, answer) => {
      if (Object.hasOwn((answer as { components: object }).components, configured)) wish.account = account;
    });
  }

  /** Has webhooks sent again, if nobody does, when nobody asks for anything any more. */
  recover(): void {
    if (this.#clients.underWay > 0) return;
    const stored = this.#world.store.components.stored().find(({ name }) => name === webhooks);
    if (stored?.status !== 'uninstalled') return;
    this.#wishes.get(webhooks)!.open = false;
    this.#wishFor(webhooks, 'installed');
  }

  /** What is otherwise than was acknowledged, once all is quiet. */
  problems(): string[] {
    const stored = this.#world.store.components.stored();
    const pending = stored
      .filter(({ status }) => status === 'pending')
      .map(({ name }) => `${name} is pending for ever`);
    const others = [...this.#wishes].flatMap(([name, { open, status, account }]) => {
      const now = stored.find((component) => component.name === name);
      if (open) return [];
      const isAsWished = status === undefined || now?.status === status;
      const isConfigured = account === undefined || now?.configuration?.['accountSid'] === account;
      return isAsWished && isConfigured ? [] : [`${name} is not as it was acknowledged: ${status} ${account}`];
    });
    return [...pending, ...others];
  }

  #wishFor(name: string, status: 'installed' | 'uninstalled'): void {
    const path = status === 'installed' ? '/components.install' : '/components.uninstall';
    this.#ask(name, path, { name }, (wish) => {
      wish.status = status;
    });
  }

  #ask(name: string, path: string, body: object, done: (wish: Wish, answer: unknown) => void): void {
    const wish = this.#wishes.get(name)!;
    if (wish.open) return;
    wish.open = true;
    const mine = ++wish.asked;
    this.#clients.ask({
      name: `${path} ${name}`,
      path,
      body,
      inDoubt: 'key',
      acknowledged: ({ body: answer }) => {
        // Of a repetition with the same key the answer is the same, and says nothing of what came since.
        if (!wish.open || wish.asked !== mine) return;
        wish.open = false;
        done(wish, answer);
      },
    });
  }
}
