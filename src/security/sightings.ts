import { userActorId } from '#actors/ids.ts';
import type { Clock, Logger } from '#actors/ports.ts';
import type { Services } from '#src/services.ts';

/** At most one for each subject in this time, in ms. */
const noteEvery = 60_000;
/** Subjects that are remembered: far more than call within a minute. */
const remembered = 10_000;

/** Notes that somebody or something was used, now and then and off the path of the request. */
export class Sightings {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #commandsFor: Services['commandsFor'];
  /** Subject → when it was noted last, epoch ms. */
  readonly #noted = new Map<string, number>();

  constructor({ clock, log, commandsFor }: Pick<Services, 'clock' | 'log' | 'commandsFor'>) {
    this.#clock = clock;
    this.#log = log;
    this.#commandsFor = commandsFor;
  }

  /** @param lastUsedAt as it is stored; a restart notes nothing twice within the time */
  keyUsed(id: string, lastUsedAt: string | undefined): void {
    if (!this.#isDue(`api-key ${id}`, lastUsedAt)) return;
    this.#inBackground(this.#commandsFor({ cause: 'sighting' }).send('api-key', id, 'api-key.note-use', null));
  }

  /** @param lastSeenAt as `keyUsed` has it */
  userCalled(id: string, lastSeenAt: string): void {
    if (!this.#isDue(`user ${id}`, lastSeenAt)) return;
    const user = userActorId(id);
    this.#inBackground(this.#commandsFor({ cause: 'sighting' }).send('user', user, 'user.note-call', null));
  }

  #isDue(subject: string, stored: string | undefined): boolean {
    const now = this.#clock.now();
    const last = this.#noted.get(subject) ?? (stored === undefined ? undefined : Date.parse(stored));
    if (last !== undefined && now - last < noteEvery) return false;
    if (this.#noted.size >= remembered) this.#noted.clear();
    this.#noted.set(subject, now);
    return true;
  }

  /** A sighting that gets lost is one of many. */
  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log.warn({ reason: String(error) }, 'sighting.lost'));
  }
}
