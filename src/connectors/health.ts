import type { CallOutcome } from './calls.ts';
import type { Connector } from './connector.ts';

/** What is known of a connector: null: it is well; a sentence: what is wrong; undefined: nobody has seen it at work. */
export type ConnectorProblem = string | null | undefined;

/**
 * How the connectors of a hub are, by what came of their checks and of their calls. One that is made anew, as it is
 * configured otherwise, has to show it anew.
 */
export class ConnectorHealth {
  readonly #problems = new WeakMap<Connector, string | null>();

  problemOf(connector: Connector): ConnectorProblem {
    return this.#problems.get(connector);
  }

  /** A check has ended. */
  checked(connector: Connector, problem: string | null): void {
    this.#problems.set(connector, problem);
  }

  /** A message was handed over, or not. A source that refuses, or asks to wait, may do so for the message's sake. */
  called(connector: Connector, outcome: CallOutcome): void {
    if (outcome.kind === 'succeeded') this.#problems.set(connector, null);
    if (outcome.kind === 'unreachable') this.#problems.set(connector, outcome.error);
  }
}
