import { commandCause } from '#actors/cause.ts';
import type { CommandBody, CommandResult, Commands, CommandSender, CommandType } from '#actors/commands.ts';
import { parseJson } from '#actors/json.ts';
import { runtimeCommands } from '#actors/runtime/runtime-commands.ts';
import { type ActorAddress, decode, encode, type Envelope, type Reply } from '#actors/runtime/envelope.ts';
import { Failure, type FailureData } from '#actors/errors.ts';
import { type Bus, BusError, type Clock, type Ids } from '#actors/ports.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { workSubject } from '#src/nats/subjects.ts';
import type { Origin } from '#src/services.ts';
import { CommandFlow } from './command-flow.ts';

export interface CommandSenderOptions {
  bus: Bus;
  clock: Clock;
  ids: Ids;
  shards: number;
  /** Told the kind of the actor after each answer, before the caller has it. */
  onAnswered?: (kind: string) => void;
  /** How long a command may take, in ms. After it the host drops the command. */
  patience?: number;
}

const defaultPatience = 10_000;
/** A request without an answer is repeated after this long, in ms: its id makes the repetition harmless. */
const answerTimeout = 2_500;
/** Wait before the next try when nobody can be reached, in ms. */
const retryDelay = 100;

/** Makes the senders of commands: one for each request, effect or timer that causes some. */
export function commandSenders(options: CommandSenderOptions): (origin: Origin) => CommandSender {
  const flow = new CommandFlow(options.clock);
  return (origin) => new OriginSender(options, origin, flow);
}

/** What an actor has told another: the body of the effect. */
interface Told {
  from: ActorAddress;
  /** The command that made it tell. */
  command: string;
  to: ActorAddress;
  type: string;
  body: unknown;
}

class OriginSender implements CommandSender {
  readonly #options: CommandSenderOptions;
  readonly #origin: Origin;
  readonly #flow: CommandFlow;
  /** Commands sent so far, by kind, id and type: the nth has the nth derived id. */
  readonly #sent = new Map<string, number>();

  constructor(options: CommandSenderOptions, origin: Origin, flow: CommandFlow) {
    this.#options = options;
    this.#origin = origin;
    this.#flow = flow;
  }

  async send<K extends keyof Commands, T extends CommandType<K>>(
    kind: K,
    id: string,
    type: T,
    body: CommandBody<K, T>,
  ): Promise<CommandResult<K, T>> {
    return (await this.#ask({ kind, id }, type, body)) as CommandResult<K, T>;
  }

  async redrive(actor: { kind: string; id: string }, commandId: string): Promise<void> {
    await this.#ask(actor, runtimeCommands.redrive, { commandId });
  }

  async relay({ key, id, body }: { key: number; id: string; body: string }): Promise<FailureData | null> {
    const { from, command, to, type, body: told } = parseJson(body) as Told;
    let refusal: FailureData | null = null;
    try {
      await this.#ask(to, type, told, { commandId: id, cause: commandCause(command) });
    } catch (error) {
      if (!(error instanceof Failure) || error.retryAfter !== undefined) throw error;
      refusal = error.toData();
    }
    await this.#ask(from, runtimeCommands.effectDone, { key });
    return refusal;
  }

  #ask(
    actor: ActorAddress,
    type: string,
    body: unknown,
    told?: { commandId: string; cause: string },
  ): Promise<unknown> {
    const { caller, cause } = this.#origin;
    // Before any wait: the nth command of a request is the nth again when it is repeated.
    const named = told ?? { commandId: this.#commandId(actor.kind, actor.id, type), cause };
    const send = (): Promise<unknown> => this.#sendNow({ ...named, actor, type, body });
    return caller === undefined ? send() : this.#flow.within(caller, send);
  }

  async #sendNow(command: Pick<Envelope, 'commandId' | 'cause' | 'actor' | 'type' | 'body'>): Promise<unknown> {
    const { clock, shards, patience } = this.#options;
    const { caller } = this.#origin;
    const now = clock.now();
    const deadline = now + (patience ?? defaultPatience);
    const envelope: Envelope = { ...command, now, deadline, ...(caller !== undefined && { caller }) };
    const { actor } = command;
    const reply = await this.#request(workSubject(shardOf(actor.id, shards), actor), envelope);
    this.#options.onAnswered?.(actor.kind);
    if (!reply.ok) throw Failure.from(reply.failure);
    return reply.result;
  }

  #commandId(kind: string, id: string, type: string): string {
    const { idempotencyKey } = this.#origin;
    if (idempotencyKey === undefined) return this.#options.ids.uuid();
    const name = `${kind} ${id} ${type}`;
    const nth = (this.#sent.get(name) ?? 0) + 1;
    this.#sent.set(name, nth);
    return uuidV5(namespaces.command, idempotencyKey, name, String(nth));
  }

  /** Repeats the request until there is an answer or no time: a restart of the bus or the host is only a delay. */
  async #request(subject: string, envelope: Envelope): Promise<Reply> {
    const { bus, clock } = this.#options;
    const data = encode(envelope);
    // By a clock that nobody sets: whoever waits is answered in time.
    const until = clock.elapsed() + envelope.deadline - clock.now();
    /** A try without an answer may be handled yet, whatever another try is told. */
    let doubtful = false;
    for (;;) {
      const left = until - clock.elapsed();
      let wait = retryDelay;
      try {
        const reply = decode<Reply>(await bus.request(subject, data, Math.min(answerTimeout, Math.max(1, left))));
        if (!isElsewhere(reply) && (!doubtful || !isAboutOneTry(reply))) return reply;
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        if (error.reason === 'too_large') throw tooLarge();
        if (error.reason !== 'no_responder') doubtful = true;
        if (error.reason === 'timeout') wait = 0;
      }
      if (left <= retryDelay) throw unanswered(doubtful);
      if (wait > 0) await new Promise<void>((resolve) => clock.schedule(wait, resolve));
    }
  }
}

/** The host refused this try without looking at the command: an earlier one may still wait in its mailbox. */
const isAboutOneTry = (reply: Reply): boolean =>
  !reply.ok && ['overloaded', 'unavailable', 'not_owner'].includes(reply.failure.code);

/** Nothing was done, and another node takes the command. */
const isElsewhere = (reply: Reply): boolean => !reply.ok && reply.failure.code === 'not_owner';

const tooLarge = (): Failure =>
  new Failure('body_too_large', 'The hub can not carry a request of this size inside itself. Send less at once.');

function unanswered(doubtful: boolean): Failure {
  const message = doubtful
    ? 'The hub did not answer in time. Try again with the same Idempotency-Key: what was done is not done twice.'
    : 'The hub is not ready to take this request. Nothing was changed; try again.';
  return new Failure('unavailable', message, { retryAfter: 1 });
}
