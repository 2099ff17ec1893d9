import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of request durations, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the hub counts. One registry for each hub, so that several can run in one process. */
export class Metrics {
  readonly registry = new Registry();
  readonly #operations = new Histogram({
    name: 'parley_operation_duration_seconds',
    help: 'Time from the request to its answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets,
    registers: [this.registry],
  });
  readonly #attempts = new Counter({
    name: 'parley_delivery_attempts_total',
    help: 'Calls to the action endpoints of sources, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #webhookAttempts = new Counter({
    name: 'parley_webhook_attempts_total',
    help: 'Calls to the receivers of webhooks, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly #updates = new Counter({
    name: 'parley_inbound_updates_total',
    help: 'Updates of platforms, by their path and what became of them.',
    labelNames: ['inbound', 'outcome'],
    registers: [this.registry],
  });

  /** Counts what the process needs, such as memory and time. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  operation(path: string, status: number, seconds: number): void {
    this.#operations.observe({ operation: path, status }, seconds);
  }

  attempt(outcome: string): void {
    this.#attempts.inc({ outcome });
  }

  webhookAttempt(outcome: string): void {
    this.#webhookAttempts.inc({ outcome });
  }

  update(inbound: string, outcome: 'taken' | 'not_understood' | 'put_aside', count: number): void {
    if (count > 0) this.#updates.inc({ inbound, outcome }, count);
  }

  /** A value that is read when the metrics are: not a number while it can not be. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(readable(read));
      },
    });
  }
}

/** The other metrics are wanted most when something can not be read. */
function readable(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}
