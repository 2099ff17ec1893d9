import { isDeepStrictEqual } from 'node:util';
import { type HttpAnswer, type HttpRequest, request } from './http.ts';
import type { World } from './world.ts';

/** Something that a client asks the hub for. */
export interface Asked {
  name: string;
  path: string;
  body: unknown;
  /** The token of a source; absent: nobody in particular asks. */
  token?: string | undefined;
  /**
   * What the client does when it does not know what came of a request: asks again with the same Idempotency-Key, and
   * must get the same answer; asks again without one, since what it asks for can be done twice; gives up.
   */
  inDoubt: 'key' | 'again' | 'give up';
  /** In the place of a new one. */
  key?: string;
  /** A 2xx came. Of several tries only the first one's answer. */
  acknowledged?(answer: HttpAnswer): void;
  /** The hub said that it changed nothing, and the client has not asked in any other try. */
  denied?(): void;
}

/** `behind`: the node that was asked had not all events yet. */
type Ending = { kind: 'answered'; answer: HttpAnswer; behind: boolean } | { kind: 'cut off' };

const maximumTries = 12;
/** How long a client asks with the same key, in ms: less than the hub's 24 h, for leaps of time during the last try. */
const keyLifetime = 12 * 3_600_000;
/** Refusals that a client can provoke by itself. */
const expectedRefusals = [
  'cursor_expired',
  'not_found',
  'message_not_failed',
  'channel_not_connected',
  'feature_disabled',
];
const notConnected = /is not a connected channel of this source|is not connected\. Connect it again first\. Push again/;
const nothingChanged = /Nothing was changed/;
/** An answer takes up to so long on its way, in ms, and so does a request. */
const wayMs = 3;

/** The clients of a hub: any number of requests side by side, each asking as a careful caller does. */
export class Clients {
  underWay = 0;
  /** How likely an answer gets lost on its way. */
  loss = 0;
  readonly #world: World;
  #keys = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Begins to ask. What comes of it shows in what is told to the ledger. */
  ask(asked: Asked): void {
    this.underWay++;
    void this.#ask(asked).finally(() => this.underWay--);
  }

  async #ask(asked: Asked): Promise<void> {
    const { random } = this.#world;
    const until = this.#world.now() + keyLifetime;
    const sent: HttpRequest = {
      path: asked.path,
      body: JSON.stringify(asked.body),
      headers: {
        ...(asked.token !== undefined && { authorization: `Bearer ${asked.token}` }),
        ...(asked.inDoubt === 'key' && { 'idempotency-key': asked.key ?? `key-${++this.#keys}` }),
      },
    };
    const first = await this.#untilAnswered(asked, sent, until);
    if (first === null || asked.inDoubt !== 'key' || !random.chance(0.3)) return;
    await this.#pause(random.int(5_000));
    const again = await this.#untilAnswered(asked, sent, until);
    if (again !== null && !isDeepStrictEqual(toldBy(first), toldBy(again))) {
      const texts = [first, again].map((answer) => JSON.stringify(toldBy(answer))).join(' and ');
      this.#world.problems.push(`${asked.name}: a repeat got another answer: ${texts}`);
    }
  }

  /** Null when the client gave up without an answer that is the last word. */
  async #untilAnswered(asked: Asked, sent: HttpRequest, until: number): Promise<HttpAnswer | null> {
    for (let tries = 1; this.#world.now() < until; tries++) {
      const ending = await this.once(sent);
      const said = ending.kind === 'answered' ? String(ending.answer.status) : ending.kind;
      this.#world.trace.note('client', `${asked.name} ${said}`);
      if (ending.kind === 'answered') {
        const { answer, behind } = ending;
        if (answer.status < 300) {
          asked.acknowledged?.(answer);
          return answer;
        }
        if (answer.headers['retry-after'] === undefined) return this.#refused(asked, answer, behind);
        // A bus that repeats may bring the host another copy of what it has refused.
        const certain = tries === 1 && asked.inDoubt === 'give up' && !this.#world.repeats;
        if (certain && nothingChanged.test(JSON.stringify(answer.body))) asked.denied?.();
      }
      if (asked.inDoubt === 'give up' || tries === maximumTries) return null;
      await this.#pause(50 + this.#world.random.int(2_000));
    }
    return null;
  }

  /** Null: the refusal is about this moment, and may be another one next time. */
  #refused({ name }: Asked, answer: HttpAnswer, behind: boolean): HttpAnswer | null {
    const { code } = answer.body as { code: string };
    // Such a node does not know the newest cursors.
    if (behind && code === 'invalid_cursor') return null;
    const isExpected = expectedRefusals.includes(code) || notConnected.test(JSON.stringify(answer.body));
    if (!isExpected) this.#world.problems.push(`${name} was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.status === 403 || code === 'feature_disabled' ? null : answer;
  }

  /** Asks once, as soon as a hub is up. */
  async once(sent: HttpRequest): Promise<Ending> {
    const { random } = this.#world;
    let hub = this.#world.hub;
    while (hub === null) {
      await this.#pause(100);
      hub = this.#world.hub;
    }
    await this.#pause(random.int(wayMs));
    const behind = this.#world.isBehind(hub.process);
    const answer = await request(hub, sent);
    await this.#pause(random.int(wayMs));
    return answer === null || random.chance(this.loss) ? { kind: 'cut off' } : { kind: 'answered', answer, behind };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.time.after(ms, resolve));
  }
}

/** What of an answer is the same when the request is repeated. */
const toldBy = ({ status, headers, body }: HttpAnswer): unknown => [status, headers['x-message-id'], body];
