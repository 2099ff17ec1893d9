import type { WebhookDispatcher } from './webhook-dispatcher.ts';

/** Sends webhooks while their feature is on. Subscriptions stay as they are meanwhile, with all that they have to get. */
export class SwitchedDispatcher {
  readonly #isOn: () => boolean;
  readonly #make: () => WebhookDispatcher;
  #running: WebhookDispatcher | null = null;
  /** It was switched off, and has not recorded yet all that it had begun. */
  #ending: WebhookDispatcher | null = null;
  #stopped = false;
  /** Of two dispatchers at a time each would send what the other one has sent and not recorded: one change after another. */
  #changing: Promise<void> = Promise.resolve();

  constructor(isOn: () => boolean, make: () => WebhookDispatcher) {
    this.#isOn = isOn;
    this.#make = make;
    this.#startIfOn();
  }

  wake(): void {
    this.#running?.wake();
  }

  feedGrew(): void {
    this.#running?.feedGrew();
  }

  /** Resolves when it is as the switch said: what ran has recorded what it had begun. */
  follow(): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      if (!this.#isOn()) await this.#end();
      this.#startIfOn();
    });
    return this.#changing;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.#running?.stop(), this.#ending?.stop()]);
  }

  #startIfOn(): void {
    if (this.#stopped || this.#running !== null || !this.#isOn()) return;
    this.#running = this.#make();
    this.#running.wake();
  }

  async #end(): Promise<void> {
    this.#ending = this.#running;
    this.#running = null;
    await this.#ending?.drain();
    this.#ending = null;
  }
}
