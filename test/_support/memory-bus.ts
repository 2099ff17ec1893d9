import { type Bus, BusError, type Parcel, type Cancel } from '#actors/ports.ts';

/** Whether a NATS subject matches a pattern with `*` and a final `>`. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  for (const [i, token] of wanted.entries()) {
    if (token === '>') return given.length > i;
    if (given[i] === undefined || (token !== '*' && token !== given[i])) return false;
  }
  return wanted.length === given.length;
}

/** A bus inside one process that loses nothing while it is up: for tests of what stands behind it. */
export class MemoryBus implements Bus {
  /** Down, it takes no requests. */
  down = false;
  readonly #subscriptions = new Set<{ pattern: string; handle: (parcel: Parcel) => void }>();

  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (this.down) return Promise.reject(new BusError('disconnected', 'the bus is down'));
    const served = [...this.#subscriptions].filter(({ pattern }) => subjectMatches(pattern, subject));
    if (served.length === 0) return Promise.reject(new BusError('no_responder', `nobody serves ${subject}`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new BusError('timeout', `no answer on ${subject}`)), timeoutMs);
      const respond = (answer: Uint8Array): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      for (const { handle } of served) queueMicrotask(() => handle({ subject, data, respond }));
    });
  }

  publish(subject: string, data: Uint8Array): void {
    for (const { pattern, handle } of this.#subscriptions) {
      if (subjectMatches(pattern, subject)) queueMicrotask(() => handle({ subject, data, respond() {} }));
    }
  }

  subscribe(pattern: string, handle: (parcel: Parcel) => void): Cancel {
    const subscription = { pattern, handle };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }
}
