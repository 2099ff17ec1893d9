import { isDeepStrictEqual } from 'node:util';
import { Failure } from '#actors/errors.ts';
import type { HubProcess, World } from './world.ts';

/** Something that a client asks the hub for. */
export interface Operation {
  name: string;
  /** With a key the client asks again after every doubt, and must get the same answer; without it asks once. */
  key: string | null;
  run(hub: HubProcess): Promise<unknown>;
  acknowledged(answer: unknown): void;
  /** The hub said that it changed nothing, and the client has not asked in any other try. */
  denied?(): void;
}

type Ending = { kind: 'answered'; answer: unknown } | { kind: 'failed'; failure: Failure } | { kind: 'died' };

const maximumTries = 12;
/** How long a client asks with the same key, in ms: less than the hub's 24 h, for leaps of time during the last try. */
const keyLifetime = 12 * 3_600_000;
/** Refusals that a client can provoke by itself. */
const expectedRefusals = ['not_found', 'message_not_failed', 'channel_unknown', 'source_exists'];
const nothingChanged = /Nothing was changed/;

/** The clients of a hub: any number of operations side by side, each asking as a careful caller does. */
export class Clients {
  underWay = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Starts an operation. Its end shows in what it tells the ledger. */
  start(operation: Operation): void {
    this.underWay++;
    void this.#perform(operation).finally(() => this.underWay--);
  }

  async #perform(operation: Operation): Promise<void> {
    const { time } = this.#world;
    const until = time.now() + keyLifetime;
    const first = await this.#untilAnswered(operation, until);
    if (first === null || operation.key === null || !this.#world.random.chance(0.3)) return;
    await this.#pause(this.#world.random.int(5_000));
    const again = await this.#untilAnswered(operation, until);
    if (again !== null && !isDeepStrictEqual(first.answer, again.answer)) {
      const texts = [first, again].map(({ answer }) => JSON.stringify(answer)).join(' and ');
      this.#world.problems.push(`${operation.name}: a repeat got another answer: ${texts}`);
    }
  }

  /** Null when the client gave up without an answer. */
  async #untilAnswered(operation: Operation, until: number): Promise<{ answer: unknown } | null> {
    for (let tries = 1; this.#world.time.now() < until; tries++) {
      const ending = await this.#try(operation);
      this.#world.trace.note('client', `${operation.name} ${ending.kind}`);
      if (ending.kind === 'answered') {
        operation.acknowledged(ending.answer);
        return { answer: ending.answer };
      }
      if (ending.kind === 'failed') {
        const { failure } = ending;
        if (failure.retryAfter === undefined) {
          if (!expectedRefusals.includes(failure.code)) this.#unexpected(operation, failure);
          return { answer: failure.code };
        }
        // A bus that repeats may bring the host another copy of what it has refused.
        const certain = tries === 1 && operation.key === null && !this.#world.repeats;
        if (certain && nothingChanged.test(failure.message)) operation.denied?.();
      }
      if (operation.key === null || tries === maximumTries) return null;
      await this.#pause(50 + this.#world.random.int(2_000));
    }
    return null;
  }

  async #try(operation: Operation): Promise<Ending> {
    let hub = this.#world.hub;
    while (hub === null) {
      await this.#pause(100);
      hub = this.#world.hub;
    }
    const { process } = hub;
    const died = new Promise<Ending>((resolve) => process.onDeath(() => resolve({ kind: 'died' })));
    const asked = operation.run(hub).then(
      (answer): Ending => ({ kind: 'answered', answer }),
      (error: unknown): Ending => {
        if (error instanceof Failure) return { kind: 'failed', failure: error };
        throw error;
      },
    );
    return Promise.race([asked, died]);
  }

  #unexpected({ name }: Operation, failure: Failure): void {
    this.#world.problems.push(`${name} was refused: ${failure.code} ${failure.message}`);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.time.after(ms, resolve));
  }
}
