import { pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Logger } from '#actors/runtime/ports.ts';

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
/** Lines that somebody waits for, such as a supervisor. */
const urgentEvents = new Set(['hub.ready', 'hub.stopped']);

const secretNames = [
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
];

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

/**
 * A logger on a file descriptor or file. Lines are buffered, so that a hot path pays no write for each; warnings, errors and
 * urgent events are written at once, the others within 100 ms and when the process exits.
 * The destination is synchronous: pino's transports are worker threads with files of their own, which a single
 * binary does not have.
 */
export function createLogger(options: { level?: LogLevel; destination?: number | string } = {}): HubLogger {
  const destination = pino.destination({ dest: options.destination ?? 1, sync: true, minLength: bufferBytes });
  const sink = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
  const flush = (): void => {
    try {
      destination.flushSync();
    } catch {
      // The reader of the log is gone: there is nobody to tell.
    }
  };
  // A write that fails later is reported here; without a listener it would end the process.
  destination.on('error', () => {});
  const timer = setInterval(flush, flushEveryMs).unref();
  process.on('exit', flush);
  return {
    info(fields, event) {
      sink.info(fields, event);
      if (urgentEvents.has(event)) flush();
    },
    warn(fields, event) {
      sink.warn(fields, event);
      flush();
    },
    error(fields, event) {
      sink.error(fields, event);
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
