import { openSync, writeSync } from 'node:fs';
import { pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Logger } from '#actors/ports.ts';

/** A logger that writes JSON lines. `flush` writes what is still buffered. */
export interface HubLogger extends Logger {
  flush(): void;
  /** Flushes and stops the regular flushing. */
  close(): void;
}

export const logLevels = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const bufferBytes = 4096;
const flushEveryMs = 100;
const fullPipeWaitMs = 5;
/** Lines that somebody waits for, such as a supervisor. */
const urgentEvents = new Set(['hub.ready', 'hub.stopped']);

const secretNames = new Set([
  'authorization',
  'Authorization',
  'cookie',
  'token',
  'password',
  'signature_key',
  'signatureKey',
  'jwtSecret',
  'systemToken',
  'clientSecret',
  'secret',
]);

/**
 * The level that PARLEY_LOG_LEVEL asks for.
 * @throws Error for a word that is no level.
 */
export function logLevelOf(env: Readonly<Record<string, string | undefined>>, otherwise: LogLevel): LogLevel {
  const asked = env['PARLEY_LOG_LEVEL'] || otherwise;
  const level = logLevels.find((name) => name === asked);
  if (!level) throw new Error(`PARLEY_LOG_LEVEL must be one of ${logLevels.join(', ')}`);
  return level;
}

/** The fields without the values of secret names, also one object deep. Done here: pino's own way costs more than the line. */
function redacted(fields: Record<string, unknown>, deep = true): Record<string, unknown> {
  let copy: Record<string, unknown> | null = null;
  for (const name in fields) {
    const value = fields[name];
    let shown = value;
    if (secretNames.has(name)) shown = '[redacted]';
    else if (deep && isPlain(value)) shown = redacted(value, false);
    if (shown === value) continue;
    copy ??= { ...fields };
    copy[name] = shown;
  }
  return copy ?? fields;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * A file that lines are appended to. pino's own destination calls fsync with every flush: a log that waits for the disk
 * would make the hub wait for its log.
 */
class BufferedFile {
  readonly #fd: number;
  #buffered = '';

  constructor(destination: number | string) {
    this.#fd = typeof destination === 'number' ? destination : openSync(destination, 'a');
  }

  write(line: string): void {
    this.#buffered += line;
    if (this.#buffered.length >= bufferBytes) this.flush();
  }

  flush(): void {
    let rest = Buffer.from(this.#buffered);
    this.#buffered = '';
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        // A full pipe: its reader is slow, and the log must not get holes. Everything else: the reader is gone.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPipeWaitMs);
      }
    }
  }
}

/**
 * A logger on a file descriptor or file. Lines are buffered, so that a hot path pays no write for each; warnings, errors and
 * urgent events are written at once, the others within 100 ms and when the process exits.
 * The destination is synchronous: pino's transports are worker threads with files of their own, which a single
 * binary does not have.
 */
export function createLogger(options: { level?: LogLevel; destination?: number | string } = {}): HubLogger {
  const destination = new BufferedFile(options.destination ?? 1);
  const sink = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
    },
    destination,
  );
  const flush = (): void => destination.flush();
  const timer = setInterval(flush, flushEveryMs).unref();
  process.on('exit', flush);
  return {
    info(fields, event) {
      sink.info(redacted(fields), event);
      if (urgentEvents.has(event)) flush();
    },
    warn(fields, event) {
      sink.warn(redacted(fields), event);
      flush();
    },
    error(fields, event) {
      sink.error(redacted(fields), event);
      flush();
    },
    flush,
    close() {
      flush();
      clearInterval(timer);
      process.off('exit', flush);
    },
  };
}
