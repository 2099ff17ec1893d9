import type { Cancel, Clock, Logger } from '#actors/ports.ts';
import type { CallTools } from '#src/connectors/calls.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { ConnectorHealth } from '#src/connectors/health.ts';
import type { Connectors } from '#src/connectors/registry.ts';

export interface ConnectorCheckOptions {
  connectors: Connectors;
  health: ConnectorHealth;
  http: CallTools['http'];
  clock: Clock;
  log: Logger;
}

/** Between two checks of a connector, in ms. */
const checkEvery = 60_000;

/** Asks each connector that can tell, now and then, whether its source lets it in: one call at a time for each. */
export class ConnectorChecks {
  readonly #options: ConnectorCheckOptions;
  readonly #underWay = new Set<Connector>();
  #cancel: Cancel = () => {};
  #stopped = false;

  constructor(options: ConnectorCheckOptions) {
    this.#options = options;
  }

  /** Checks all of them now, and from now on. Called at the start and whenever connectors are made anew. */
  start(): void {
    if (this.#stopped) return;
    const { clock, connectors } = this.#options;
    this.#cancel();
    this.#cancel = clock.schedule(checkEvery, () => this.start());
    for (const connector of connectors.all) void this.#check(connector);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #check(connector: Connector): Promise<void> {
    const { clock, health, http, log } = this.#options;
    if (connector.checker === undefined || this.#underWay.has(connector)) return;
    this.#underWay.add(connector);
    try {
      const problem = await connector.checker.check({ http, now: () => clock.now() });
      if (problem !== null && health.problemOf(connector) !== problem) {
        log.warn({ connector: connector.name, problem }, 'connector.not_healthy');
      }
      health.checked(connector, problem);
    } catch (error) {
      log.error({ connector: connector.name, reason: String(error) }, 'connector.check_failed');
    } finally {
      this.#underWay.delete(connector);
    }
  }
}
