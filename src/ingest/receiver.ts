import { requestCause } from '#actors/cause.ts';
import { Failure } from '#actors/errors.ts';
import type { Cancel } from '#actors/ports.ts';
import type { KeptUpdate, RawUpdate } from '#actors/store/raw-updates.ts';
import { mediaResolver } from '#src/config/catalogue.ts';
import type { InboundRoute } from '#src/connectors/connector.ts';
import { traitsOf } from '#src/connectors/traits.ts';
import type { Metrics } from '#src/metrics.ts';
import type { Services } from '#src/services.ts';
import type { Inbound } from './items.ts';
import { takeIn } from './platform-updates.ts';
import { subjectsOf } from './raw-subjects.ts';
import { withTimes } from './times.ts';

type Parts = Pick<
  Services,
  'clock' | 'commandsFor' | 'components' | 'connectors' | 'features' | 'ids' | 'log' | 'raw' | 'rawErasing' | 'store'
>;

/** An update with what its connector read in it; null: nothing that it knows. */
interface ReadUpdate {
  body: string;
  inbound: Inbound | null;
}

/** A platform waits so long for its answer before what it sent is put aside, in ms. */
const patience = 700;
/** Updates that are taken in at once of what was put aside. */
const replayedAtOnce = 200;
/** Wait before what was put aside is tried again, in ms. */
const tryAgainAfter = 500;
/** Between two looks at what is old enough to be forgotten, in ms. */
const pruneEvery = 60_000;
/** The same while there is more: other work goes between. */
const pruneSoon = 50;

/**
 * Takes in what platforms send, whatever the rest of the hub does: what the actors do not take in time is put aside on the
 * disk, and taken in later, in its order. While anything is put aside, everything goes behind it.
 */
export class UpdateReceiver {
  readonly #parts: Parts;
  readonly #metrics: Pick<Metrics, 'update'>;
  #stopped = false;
  #replaying: Promise<void> | null = null;
  #cancelPruning: Cancel = () => {};
  #cancelReplay: Cancel = () => {};

  constructor(parts: Parts, metrics: Pick<Metrics, 'update'>) {
    this.#parts = parts;
    this.#metrics = metrics;
  }

  /** Goes on with what was put aside before. @param keptFor how long raw updates are kept, in ms */
  start(keptFor: number): void {
    const { clock, raw, rawErasing } = this.#parts;
    rawErasing.look();
    const prune = (): void => {
      const isMore = raw.prune(clock.now() - keptFor);
      this.#cancelPruning = clock.schedule(isMore ? pruneSoon : pruneEvery, prune);
    };
    this.#cancelPruning = clock.schedule(pruneEvery, prune);
    this.#replay();
  }

  /** Begins nothing more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPruning();
    this.#cancelReplay();
    await this.#replaying;
  }

  /**
   * Resolves when the updates are durable, as messages or put aside.
   * @param updates as `route.split` gave them @throws what a defect throws
   */
  async receive(route: InboundRoute, updates: readonly string[], requestId: string): Promise<void> {
    if (updates.length === 0) return;
    if (this.#parts.raw.waiting > 0) {
      this.#putAside(route, updates);
      return;
    }
    const at = this.#parts.clock.now();
    const read = updates.map((body) => readBy(route, { body, at }));
    const outcome = await this.#inTime(this.#take(route, read, requestId));
    if (outcome === 'late') this.#putAside(route, updates);
    else this.#keep(route, read);
  }

  #putAside(route: InboundRoute, updates: readonly string[]): void {
    const { clock, log, raw } = this.#parts;
    raw.spool(
      updates.map((body) => ({ route: route.path, body })),
      clock.now(),
    );
    this.#metrics.update(route.path, 'put_aside', updates.length);
    log.warn({ inbound: route.path, updates: updates.length, waiting: raw.waiting }, 'inbound.put_aside');
    this.#replay();
  }

  #keep(route: InboundRoute, read: readonly ReadUpdate[]): void {
    const { clock, log, raw } = this.#parts;
    try {
      const kept = read.map(({ body, inbound }) => ({ route: route.path, body, ...this.#facts(inbound) }));
      raw.keep(kept, clock.now());
    } catch (error) {
      // It is stored; only the copy for people is not.
      log.error({ inbound: route.path, reason: String(error) }, 'inbound.no_copy');
    }
  }

  /** @returns `late`: nobody knows yet whether all of it is stored */
  async #inTime(work: Promise<void>): Promise<'stored' | 'late'> {
    let cancel: Cancel = () => {};
    const late = new Promise<'late'>((resolve) => {
      cancel = this.#parts.clock.schedule(patience, () => resolve('late'));
    });
    const stored = work.then(
      () => 'stored' as const,
      (error: unknown) => {
        if (isPassing(error)) return 'late' as const;
        throw error;
      },
    );
    try {
      return await Promise.race([stored, late]);
    } finally {
      cancel();
    }
  }

  async #take(route: InboundRoute, read: readonly ReadUpdate[], requestId: string): Promise<void> {
    const { clock, commandsFor, components, connectors, features, log, store } = this.#parts;
    const about = { requestId, inbound: route.path };
    const said = read.map(({ inbound }) => inbound).filter((inbound) => inbound !== null);
    this.#metrics.update(route.path, 'taken', said.length);
    this.#metrics.update(route.path, 'not_understood', read.length - said.length);
    if (said.length < read.length) log.warn({ ...about, updates: read.length - said.length }, 'inbound.not_understood');
    if (said.length === 0) return;
    const caller = platformCaller(route);
    const commands = commandsFor({ cause: requestCause(caller, requestId), caller });
    const copiesMedia = components().some(({ entry, isOn }) => entry.name === mediaResolver && isOn);
    const traits = (source: string) => traitsOf(connectors, source, copiesMedia);
    await takeIn({ commands, store, features, clock, log, traitsOf: traits }, said, about);
  }

  #facts(inbound: Inbound | null): Pick<KeptUpdate, 'understood' | 'subjects'> {
    return { understood: inbound !== null, subjects: subjectsOf(inbound, this.#parts.store.messages) };
  }

  #replay(): void {
    if (this.#stopped || this.#replaying !== null || this.#parts.raw.waiting === 0) return;
    this.#replaying = this.#replayAll().finally(() => {
      this.#replaying = null;
      if (!this.#stopped) this.#cancelReplay = this.#parts.clock.schedule(tryAgainAfter, () => this.#replay());
    });
  }

  async #replayAll(): Promise<void> {
    const { ids, log, raw } = this.#parts;
    while (!this.#stopped) {
      const waiting = raw.oldestWaiting(replayedAtOnce);
      const [first] = waiting;
      if (first === undefined) return;
      const ofOne = waiting.slice(0, countOf(waiting, first.route));
      try {
        raw.taken(await this.#replayed(first.route, ofOne, ids.uuid()));
        log.info({ inbound: first.route, updates: ofOne.length, waiting: raw.waiting }, 'inbound.taken_later');
      } catch (error) {
        if (isPassing(error)) return;
        log.error({ inbound: first.route, updates: ofOne.length, error }, 'inbound.failed');
        // A defect must not hold up what came behind it. It is kept for whoever mends that.
        raw.taken(ofOne.map(({ key }) => ({ key, ...this.#facts(null) })));
      }
    }
  }

  async #replayed(path: string, waiting: readonly RawUpdate[], requestId: string) {
    const route = this.#parts.connectors.routes.find((each) => each.path === path && each.method === 'POST');
    // Its connector was switched off meanwhile: nobody can read it.
    if (route === undefined) return waiting.map(({ key }) => ({ key, ...this.#facts(null) }));
    const read = waiting.map((update) => readBy(route, update));
    await this.#take(route, read, requestId);
    return waiting.map(({ key }, n) => ({ key, ...this.#facts(read[n]!.inbound) }));
  }
}

/** A platform shares the hub with the other callers like each of them. */
export const platformCaller = ({ path }: Pick<InboundRoute, 'path'>): string => `platform ${path}`;

const readBy = (route: InboundRoute, { body, at }: Pick<RawUpdate, 'body' | 'at'>): ReadUpdate => {
  const inbound = route.read(body);
  return { body, inbound: inbound && withTimes(inbound, at) };
};

/** How many of the first updates came at one path. */
function countOf(updates: readonly RawUpdate[], route: string): number {
  const other = updates.findIndex((update) => update.route !== route);
  return other < 0 ? updates.length : other;
}

/** Whether the hub may take it in later: a part of it is away, or has too much to do. */
const isPassing = (error: unknown): boolean => error instanceof Failure && error.retryAfter !== undefined;
