import { Failure } from '#actors/errors.ts';
import type { Services } from '#src/services.ts';

/**
 * What `look` finds once it is there: looks after every commit. What it waits for is certain to come, so it may be asked
 * for again.
 * @param look null: not yet. What it throws ends the wait
 * @param patience in ms
 * @throws Failure `unavailable` after that
 */
export function awaited<T>({ clock, onGrew }: Services, look: () => T | null, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      stopListening();
      cancel();
      settle();
    };
    const tryIt = (): void => {
      try {
        const found = look();
        if (found !== null) end(() => resolve(found));
      } catch (error) {
        end(() => reject(error as Error));
      }
    };
    const stopListening = onGrew('feed', tryIt);
    const cancel = clock.schedule(patience, () => end(() => reject(takesLong())));
    tryIt();
  });
}

/** What is certain to come, and has not come in time. */
export const takesLong = (): Failure =>
  new Failure('unavailable', 'It takes long, and goes on. Ask again with the same Idempotency-Key.', { retryAfter: 1 });
