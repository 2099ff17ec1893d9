import type {
  ScheduledDelivery,
  SubscriptionState,
  SubscriptionWork,
  WebhookEvent,
} from '#actors/webhook-subscription/contract.ts';
import type { RecordBody } from '#src/dispatch/webhooks/recorder.ts';
import { SubscriptionRunner } from '#src/dispatch/webhooks/runner.ts';
import { SharedEvents } from '#src/dispatch/webhooks/shared-events.ts';
import { Permits } from '#src/dispatch/webhooks/permits.ts';
import type { OutgoingResult } from '#src/outgoing/call.ts';
import { ManualClock } from '../_support/manual-clock.ts';

const answered = (status: number, headers: Record<string, string> = {}): OutgoingResult => ({
  ...{ kind: 'answered', status, headers, body: '', truncated: false, durationMs: 1 },
});

/** A call that a test answers. */
export interface HeldCall {
  url: string;
  /** The feed key that the event has. */
  key: number;
  answer(status: number, headers?: Record<string, string>): Promise<void>;
}

/** Lets everything happen that needs no time. */
export const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A runner on a store, a receiver and a clock that a test holds in its hands. */
export class RunnerBench {
  readonly clock = new ManualClock();
  /** The feed: the lane of each event; its key is its place, from 1. */
  readonly feed: number[] = [];
  heads: ScheduledDelivery[] = [];
  /** The subscription as it is stored; null: deleted. */
  work: SubscriptionWork | null;
  readonly calls: HeldCall[] = [];
  readonly records: RecordBody[] = [];
  /** The states that the next records lead to, or why they are refused; by default nothing changes. */
  readonly answers: (SubscriptionState | Error)[] = [];
  readonly errors: string[] = [];
  /** Warnings of the log. */
  readonly lines: Record<string, unknown>[] = [];
  readonly runner: SubscriptionRunner;

  constructor(work: Partial<SubscriptionWork> = {}, lanes: readonly number[] = []) {
    this.feed.push(...lanes);
    const keys = { id: '01a1febe-9290-7f61-bed1-e7fba66d83e9', key: 1, url: 'http://a/', signatureKeys: [] };
    const place = { cursor: [0], ahead: [], generation: 1, missed: 0 };
    const state = { state: 'delivering' as const, probing: false };
    const start: SubscriptionWork = {
      ...{ ...keys, signatureKeysUntil: null, headers: {}, types: ['message.created'] },
      ...state,
      ...place,
      ...work,
    };
    this.work = start;
    const reader = {
      subscriptions: () => (this.work === null ? [] : [this.work]),
      heads: () => this.heads,
      events: (feedKeys: readonly number[]) => new Map(feedKeys.map((key) => [key, eventOf(key)])),
      read: ([after = 0]: readonly number[], _: unknown, limit: number) => {
        const items = this.feed
          .map((lane, n) => ({ feedKey: n + 1, lane, position: [n + 1] }))
          .slice(after, after + limit);
        return { items, end: [after + items.length] };
      },
    };
    const note = (fields: Record<string, unknown>, event: string): number =>
      this.errors.push(`${event} ${fields['reason']}`);
    this.runner = new SubscriptionRunner(start, {
      ...{ clock: this.clock, ids: { random: () => 0.5 }, reader, permits: new Permits() },
      events: new SharedEvents(reader, this.clock),
      log: { info() {}, warn: (fields, event) => this.lines.push({ event, ...fields }), error: note },
      unread: () => null,
      client: {
        send: ({ url, body }) =>
          new Promise((resolve) => {
            const answer = (status: number, headers?: Record<string, string>): Promise<void> => {
              resolve(answered(status, headers));
              return rest();
            };
            this.calls.push({ url, key: Number(body), answer });
          }),
        close: async () => {},
      },
      reload: () => this.work,
      send: async (_, body) => {
        this.records.push(body);
        const answer = this.answers.shift();
        if (answer instanceof Error) throw answer;
        if (answer !== undefined && this.work !== null) this.work = { ...this.work, state: answer, probing: false };
        return { state: this.work?.state ?? 'Unsubscribed' };
      },
    });
  }

  /** Changes what is stored and says so. */
  async store(change: Partial<SubscriptionWork>): Promise<void> {
    this.work = { ...this.work!, ...change };
    this.runner.update(this.work);
    await rest();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await rest();
  }

  /** Feed keys of the calls so far. */
  get called(): number[] {
    return this.calls.map(({ key }) => key);
  }
}

const eventOf = (key: number): WebhookEvent => ({ type: 'message.created', length: 1, text: () => `${key}` });
