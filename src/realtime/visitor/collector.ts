import type { Logger } from '#actors/ports.ts';
import { Stopping } from '#src/dispatch/durably.ts';
import type { VisitReports } from '#src/ingest/visit-reports.ts';

/** Messages that one command names. */
const atOnce = 1_000;

/**
 * Tells a conversation what a socket of its visitor has taken: one command at a time, and again until it is heard or the
 * socket is closed. What was not told is pending then, and comes again.
 */
export class Collector {
  readonly #reports: VisitReports;
  readonly #log: Logger;
  #taken: string[] = [];
  #telling = false;
  #closed = false;

  constructor(reports: VisitReports, log: Logger) {
    this.#reports = reports;
    this.#log = log;
  }

  /** A Message is with the visitor. */
  taken(id: string): void {
    this.#taken.push(id);
    if (!this.#telling) void this.#tell();
  }

  close(): void {
    this.#closed = true;
  }

  async #tell(): Promise<void> {
    this.#telling = true;
    try {
      while (this.#taken.length > 0 && !this.#closed) {
        await this.#reports.collected(this.#taken.splice(0, atOnce), () => this.#closed);
      }
    } catch (error) {
      if (!(error instanceof Stopping)) this.#log.error({ reason: String(error) }, 'visitor.not_collected');
    } finally {
      this.#telling = false;
    }
  }
}
