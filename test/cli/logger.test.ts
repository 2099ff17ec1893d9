import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '#src/config/config.ts';
import { createLogger, type LogLevel, logLevelOf } from '#src/logger.ts';
import { temporaryFolder } from '../config/files.ts';

function startLog(level: LogLevel = 'info') {
  const file = join(temporaryFolder(), 'log');
  const log = createLogger({ level, destination: file });
  onTestFinished(() => log.close());
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines };
}

test('a line has level, time, fields and the event', () => {
  const { log, lines } = startLog();
  log.info({ ms: 3 }, 'command.handled');
  log.flush();
  expect(lines()).toEqual([{ level: 'info', time: expect.stringMatching(/Z$/), ms: 3, msg: 'command.handled' }]);
});

test('a plain line waits, an urgent one is written at once', () => {
  const { log, lines } = startLog();
  log.info({}, 'command.handled');
  expect(lines()).toEqual([]);
  log.info({}, 'hub.ready');
  expect(lines()).toHaveLength(2);
});

test.each(['warn', 'error'] as const)('%s is written at once', (level) => {
  const { log, lines } = startLog();
  log[level]({}, 'it.happened');
  expect(lines()).toHaveLength(1);
});

test('a plain line is written within a second', async () => {
  const { log, lines } = startLog();
  log.info({}, 'command.handled');
  await expect.poll(lines, { timeout: 1000 }).toHaveLength(1);
});

test('no secret reaches the log', () => {
  const { log, lines } = startLog();
  const names = ['authorization', 'token', 'password', 'signature_key', 'jwtSecret', 'systemToken', 'cookie'];
  const secrets = Object.fromEntries(names.map((name) => [name, 's3cret']));
  log.error({ ...secrets, headers: secrets, key: new Secret('s3cret') }, 'it.happened');
  expect(JSON.stringify(lines())).not.toContain('s3cret');
  expect(lines()[0]).toMatchObject({
    token: '[redacted]',
    headers: { authorization: '[redacted]' },
    key: '[redacted]',
  });
});

test.each(['err', 'error'])('an error under "%s" shows its message', (name) => {
  const { log, lines } = startLog();
  log.error({ [name]: new Error('it broke') }, 'it.happened');
  expect(lines()[0]).toMatchObject({ [name]: { message: 'it broke', stack: expect.any(String) } });
});

test('lines below the level are left out', () => {
  const { log, lines } = startLog('warn');
  log.info({}, 'hub.ready');
  log.warn({}, 'it.happened');
  expect(lines()).toHaveLength(1);
});

test('PARLEY_LOG_LEVEL sets the level', () => {
  expect(logLevelOf({ PARLEY_LOG_LEVEL: 'error' }, 'info')).toBe('error');
  expect(logLevelOf({}, 'warn')).toBe('warn');
  expect(() => logLevelOf({ PARLEY_LOG_LEVEL: 'loud' }, 'info')).toThrow(/info, warn, error, silent/);
});
