import type { Behaviour } from './behaviour.ts';
import type { PlatformWebhook } from './double.ts';

/** How the hub answered a webhook. `status` null: it was not reached, `error` says why. */
export interface WebhookAnswer {
  status: number | null;
  body: string;
  error?: string;
}

/** A webhook with what became of it so far. */
export interface SentWebhook {
  url: string;
  body: string;
  tries: number;
  last: WebhookAnswer | null;
}

const patienceMs = 10_000;
const heldBackMs = 100;
const heldBack = 4;
const firstPauseMs = 1_000;
const longestPauseMs = 3_600_000;
const listed = 10_000;

/** Takes webhooks to the hub: one after the other within a conversation, and again where the platform repeats them. */
export class WebhookSender {
  readonly sent: SentWebhook[] = [];
  readonly #behaviour: () => Behaviour;
  readonly #lanes = new Map<string, Promise<unknown>>();
  readonly #held: (() => void)[] = [];
  readonly #ended = new AbortController();

  constructor(behaviour: () => Behaviour) {
    this.#behaviour = behaviour;
  }

  /** @returns how the hub answered the first time */
  async send(webhook: PlatformWebhook): Promise<WebhookAnswer> {
    if (this.#behaviour().reorder) await this.#turn();
    const first = this.#inLane(webhook);
    if (this.#behaviour().duplicates) void this.#inLane(webhook);
    return first;
  }

  /** Nothing goes out any more. */
  close(): void {
    this.#ended.abort();
  }

  /** Waits until a few are together, or no more come: then the last goes first. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#held.push(resolve);
      if (this.#held.length >= heldBack) this.#letGo();
      else if (this.#held.length === 1) setTimeout(() => this.#letGo(), heldBackMs);
    });
  }

  #letGo(): void {
    for (const go of this.#held.splice(0).reverse()) go();
  }

  #inLane(webhook: PlatformWebhook): Promise<WebhookAnswer> {
    const record: SentWebhook = { url: webhook.url, body: webhook.body, tries: 0, last: null };
    this.sent.push(record);
    if (this.sent.length > listed) this.sent.shift();
    const before = this.#lanes.get(webhook.conversation) ?? Promise.resolve();
    const answer = before.then(() => this.#try(webhook, record));
    this.#lanes.set(webhook.conversation, answer);
    void answer.then(() => {
      if (this.#lanes.get(webhook.conversation) === answer) this.#lanes.delete(webhook.conversation);
    });
    return answer;
  }

  async #try(webhook: PlatformWebhook, record: SentWebhook): Promise<WebhookAnswer> {
    record.tries += 1;
    record.last = await this.#post(webhook);
    const { status } = record.last;
    const isTaken = status !== null && status >= 200 && status < 300;
    const isRepeated = webhook.repeated === 'until-taken' ? !isTaken : status === null && record.tries === 1;
    if (isRepeated && !this.#ended.signal.aborted) {
      const pause = Math.min(longestPauseMs, firstPauseMs * 4 ** (record.tries - 1));
      setTimeout(() => void this.#try(webhook, record), pause).unref();
    }
    return record.last;
  }

  async #post({ url, headers, body }: PlatformWebhook): Promise<WebhookAnswer> {
    try {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(patienceMs)]);
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return { status: answer.status, body: await answer.text() };
    } catch (error) {
      return { status: null, body: '', error: reasonOf(error) };
    }
  }
}

/** Of a call that failed the cause says more: `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
