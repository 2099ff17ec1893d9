import type { Change } from '../store/table.ts';
import type { Reply } from './envelope.ts';
import type { Growing } from './signal.ts';

/** What handling a command came to: the reply, once its changes are committed. */
export interface Handled {
  reply: Reply;
  changes: Change[];
  signals: ReadonlySet<Growing>;
  /** The handler threw something that is not a `Failure`. */
  poison: boolean;
}

/** Of what changes nothing that anybody follows. */
export const noSignals: ReadonlySet<Growing> = new Set();
