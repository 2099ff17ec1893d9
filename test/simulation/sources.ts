import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { answered, type Answering, type Callee, failed } from './calls.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Tenure } from './tenures.ts';
import type { Trace } from './trace.ts';

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
  /** Null: somebody else owned the message's shard. */
  tenure: Tenure | null;
  /** The owner got the answer, and lived and owned until it had stored it. */
  known: boolean;
}

/** The body of a call, as far as the source looks at it. */
interface ActionCall {
  payload: { message: { id: string; source_recipient_id: string } };
}

const messageIdOf = ({ body }: OutgoingRequest): string => (JSON.parse(String(body)) as ActionCall).payload.message.id;

export interface SourcesOptions {
  random: Random;
  trace: Trace;
  /** Called when the hub calls, before the source has the message. */
  onCall(hub: SimulatedProcess, messageId: string): void;
  tenureOf(hub: SimulatedProcess, messageId: string): Tenure | null;
}

/** The sources' side of every call: action endpoints that accept, refuse, stall and forget to answer. */
export class SimulatedSources implements Callee {
  /** Of all endpoints that have none of their own. */
  mood: Mood = 'flaky';
  readonly moods = new Map<string, Mood>();
  readonly accepted = new Map<string, Acceptance[]>();
  /** Told when a source took a message, which it knows under its own id. */
  onAccepted: (messageId: string, sourceMessageId: string) => void = () => {};
  readonly #options: SourcesOptions;
  #calls = 0;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Answers that were not stored by now are as good as lost. */
  forget(isLost: (messageId: string, acceptance: Acceptance) => boolean): void {
    for (const [messageId, acceptances] of this.accepted) {
      for (const acceptance of acceptances) {
        if (acceptance.known && isLost(messageId, acceptance)) acceptance.known = false;
      }
    }
  }

  called(hub: SimulatedProcess, request: OutgoingRequest): void {
    if (!isCheck(request)) this.#options.onCall(hub, messageIdOf(request));
  }

  answer(hub: SimulatedProcess, request: OutgoingRequest): Answering {
    if (isCheck(request)) return { after: 0, result: answered(401, '') };
    const { random, trace, tenureOf } = this.#options;
    const messageId = messageIdOf(request);
    const conduct = random.weighted<Conduct>(moods[this.moods.get(request.url) ?? this.mood]);
    const call = ++this.#calls;
    trace.note('call', `${messageId} ${conduct}`);
    const after = random.int(random.chance(0.1) ? 3_000 : 60);
    if (conduct.startsWith('accepts')) {
      const acceptance = this.#accept(messageId, call, hub);
      const heard = (): void => {
        acceptance.known = acceptance.tenure !== null && acceptance.tenure === tenureOf(hub, messageId);
      };
      const said = { source_message_id: `out-${messageId}`, metadata: { call } };
      if (conduct === 'accepts-unheard')
        return { after: random.chance(0.5) ? 9_960 : after, result: failed('timeout') };
      return { after, result: answered(200, conduct === 'accepts' ? JSON.stringify(said) : 'done'), heard };
    }
    if (conduct === 'rejects') return { after, result: answered(422, '{"error":"no such recipient"}') };
    if (conduct === 'breaks') return { after, result: answered(500, 'oops') };
    if (conduct === 'throttles') {
      return { after, result: answered(random.pick([429, 503]), '', String(random.int(6))) };
    }
    if (conduct === 'refuses') return { after, result: failed('connection') };
    return { after: 9_960, result: failed('timeout') };
  }

  #accept(messageId: string, call: number, hub: SimulatedProcess): Acceptance {
    const acceptance: Acceptance = { call, hub, tenure: this.#options.tenureOf(hub, messageId), known: false };
    this.accepted.set(messageId, [...(this.accepted.get(messageId) ?? []), acceptance]);
    this.onAccepted(messageId, `out-${messageId}`);
    return acceptance;
  }
}

/** A connector asks its platform whether it lets the hub in: it hands over no message. */
const isCheck = ({ body }: OutgoingRequest): boolean => body === undefined;
