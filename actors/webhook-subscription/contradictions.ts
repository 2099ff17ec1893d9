import type { Contradictions, OwnedState } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { shownOf } from './deliveries.ts';
import { storedStateOf } from './representation.ts';

/** What subscriptions and their deliveries show against their machines. */
export const subscriptionContradictions = (db: Connection): Contradictions => ({
  *rows() {
    const subscriptions = db.prepare('SELECT key, state, value FROM webhook_subscription').iterate();
    for (const raw of subscriptions) {
      const { key, state, value } = raw as { key: number; state: string; value: string };
      const meant = storedStateOf(JSON.parse(value));
      if (state !== meant) yield `webhook_subscription ${key}: it shows ${state}, its machine ${meant}`;
    }
    const deliveries = db
      .prepare('SELECT key, status, ready, machine FROM webhook_delivery WHERE machine IS NOT NULL')
      .iterate();
    for (const raw of deliveries) {
      const row = raw as { key: number; status: string; ready: number; machine: string };
      const { status, ready } = shownOf(JSON.parse(row.machine) as OwnedState);
      if (row.status !== status || row.ready !== ready) {
        yield `webhook_delivery ${row.key}: it shows ${row.status} ${row.ready}, its machine ${status} ${ready}`;
      }
    }
  },
});
