import type { OutgoingResult } from '#src/outgoing/call.ts';
import type { OutgoingClient, OutgoingRequest } from '#src/outgoing/client.ts';
import { never, type SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What a source does with a call. */
type Conduct =
  | 'accepts'
  | 'accepts-oddly'
  | 'accepts-unheard'
  | 'rejects'
  | 'breaks'
  | 'throttles'
  | 'refuses'
  | 'ignores';

/** How a source is at the moment: how likely each conduct is. */
export const moods = {
  well: { accepts: 1 },
  flaky: {
    accepts: 50,
    'accepts-oddly': 4,
    'accepts-unheard': 8,
    rejects: 12,
    breaks: 10,
    throttles: 8,
    refuses: 8,
    ignores: 6,
  },
  down: { refuses: 4, ignores: 1 },
  busy: { throttles: 3, accepts: 1 },
} satisfies Record<string, Partial<Record<Conduct, number>>>;

export type Mood = keyof typeof moods;

/** A message that the source took. */
export interface Acceptance {
  call: number;
  hub: SimulatedProcess;
  /** The hub got the answer, and lived until it had stored it. */
  known: boolean;
}

/** The body of a call, as far as the source looks at it. */
interface ActionCall {
  payload: { message: { id: string; source_recipient_id: string } };
}

export interface SourcesOptions {
  time: VirtualTime;
  random: Random;
  trace: Trace;
  /** Called when the hub calls, before the source has the message. */
  onCall(messageId: string): void;
  step(process: SimulatedProcess, name: string): void;
}

/** The sources' side of every call: action endpoints that accept, refuse, stall and forget to answer. */
export class SimulatedSources {
  /** Of all endpoints that have none of their own. */
  mood: Mood = 'flaky';
  readonly moods = new Map<string, Mood>();
  readonly accepted = new Map<string, Acceptance[]>();
  /** Told when a source took a message, which it knows under its own id. */
  onAccepted: (messageId: string, sourceMessageId: string) => void = () => {};
  readonly #options: SourcesOptions;
  #calls = 0;
  underWay = 0;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** The client for outgoing calls of one hub process. */
  clientFor(hub: SimulatedProcess): OutgoingClient {
    return { post: (request) => this.#post(hub, request), close: () => Promise.resolve() };
  }

  /** The hub died: answers that it had not stored by then are as good as lost. */
  forget(hub: SimulatedProcess, isStored: (messageId: string) => boolean): void {
    for (const [messageId, acceptances] of this.accepted) {
      for (const acceptance of acceptances) {
        if (acceptance.hub === hub && acceptance.known && !isStored(messageId)) acceptance.known = false;
      }
    }
  }

  #post(hub: SimulatedProcess, request: OutgoingRequest): Promise<OutgoingResult> {
    const { random, time, trace, step } = this.#options;
    if (!hub.alive) return never();
    step(hub, 'call');
    if (!hub.alive) return never();
    const { message } = (JSON.parse(String(request.body)) as ActionCall).payload;
    const conduct = random.weighted<Conduct>(moods[this.moods.get(request.url) ?? this.mood]);
    const call = ++this.#calls;
    trace.note('call', `${message.id} ${conduct}`);
    this.#options.onCall(message.id);
    this.underWay++;
    return new Promise((resolve) => {
      const answer = (after: number, result: OutgoingResult, heard: () => void = () => {}): void => {
        time.after(after, () => {
          this.underWay--;
          step(hub, 'answer');
          if (!hub.alive) return;
          heard();
          resolve(result);
        });
      };
      // The message is on its way even when the hub dies meanwhile.
      time.after(random.int(40), () => this.#arrive(conduct, message.id, call, hub, answer));
    });
  }

  #arrive(
    conduct: Conduct,
    messageId: string,
    call: number,
    hub: SimulatedProcess,
    answer: (after: number, result: OutgoingResult, heard?: () => void) => void,
  ): void {
    const { random } = this.#options;
    const soon = random.int(random.chance(0.1) ? 3_000 : 60);
    if (conduct.startsWith('accepts')) {
      const acceptance = this.#accept(messageId, call, hub);
      const heard = (): void => {
        acceptance.known = true;
      };
      const said = { source_message_id: `out-${messageId}`, metadata: { call } };
      if (conduct === 'accepts-unheard') answer(random.chance(0.5) ? 9_960 : soon, failed('timeout'));
      else answer(soon, answered(200, conduct === 'accepts' ? JSON.stringify(said) : 'done'), heard);
    } else if (conduct === 'rejects') answer(soon, answered(422, '{"error":"no such recipient"}'));
    else if (conduct === 'breaks') answer(soon, answered(500, 'oops'));
    else if (conduct === 'throttles') answer(soon, answered(random.pick([429, 503]), '', String(random.int(6))));
    else if (conduct === 'refuses') answer(soon, failed('connection'));
    else answer(9_960, failed('timeout'));
  }

  #accept(messageId: string, call: number, hub: SimulatedProcess): Acceptance {
    const acceptance: Acceptance = { call, hub, known: false };
    this.accepted.set(messageId, [...(this.accepted.get(messageId) ?? []), acceptance]);
    this.onAccepted(messageId, `out-${messageId}`);
    return acceptance;
  }
}

const answered = (status: number, body: string, retryAfter?: string): OutgoingResult => ({
  kind: 'answered',
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body,
  truncated: false,
  durationMs: 1,
});

const failed = (reason: 'timeout' | 'connection'): OutgoingResult => ({ kind: 'failed', reason, durationMs: 1 });
