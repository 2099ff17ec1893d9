import type { Clock } from '#actors/ports.ts';
import type { FeedPosition } from '#actors/journal/feed.ts';
import type {
  DeliveryOutcome,
  SubscriptionState,
  WebhookDeliveryReader,
} from '#actors/webhook-subscription/contract.ts';
import type { Backlog } from './backlog.ts';
import type { LaneDelivery } from './lane-table.ts';
import type { Recorder } from './recorder.ts';

/** A phase in which attempts are made. It says which ones. It is over when its backlog is closed. */
export interface ActivePhase {
  readonly backlog: Backlog;
  /** Whether another attempt may begin now. */
  mayAttempt(): boolean;
  /** The delivery to attempt now; null: there is none. */
  next(): LaneDelivery | null;
  /** No more attempts can begin now. */
  waiting(): void;
  /** An attempt is over. */
  attempted(outcome: DeliveryOutcome['kind']): void;
  /** A record up to a cursor is about to be sent. @returns whether it says that nothing is left to send */
  recording(cursor: FeedPosition): boolean;
  /** A record is stored; this is the subscription's state after it. */
  recorded(state: SubscriptionState): void;
}

/** What a runner's parts share. */
export interface RunnerContext {
  clock: Clock;
  reader: WebhookDeliveryReader;
  recorder: Recorder;
  /** Feed key of the delivery that was probed with last: the next one is another. */
  lastProbe: number;
  /** Lets the runner do what it can do now. */
  advance(): void;
  /** Has everything begun again with what is stored: there is a defect. */
  startOver(error: unknown): void;
}
