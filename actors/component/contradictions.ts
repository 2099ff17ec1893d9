import type { Contradictions } from '../runtime/kind.ts';
import type { Connection } from '../store/database.ts';
import { componentEffect } from './effects.ts';
import { statusOf } from './representation.ts';

/** What components say against what the hub is asked to do, and what is shown of them. */
export const componentContradictions = (db: Connection): Contradictions => ({
  *rows() {
    const rows = db
      .prepare(
        `SELECT key, value, (configuration IS NULL) <> (shown IS NULL) AS apart,
           (SELECT count(*) FROM outbox WHERE subject = component.key AND kind = ?) AS effects FROM component`,
      )
      .iterate(componentEffect);
    for (const raw of rows) {
      const { key, value, apart, effects } = raw as { key: number; value: string; apart: number; effects: number };
      const status = statusOf(JSON.parse(value));
      const due = status === 'pending' ? 1 : 0;
      if (effects !== due) yield `component ${key}: it is ${status} and has ${effects} effects`;
      if (apart === 1) yield `component ${key}: what is shown is of another configuration`;
    }
  },
});
