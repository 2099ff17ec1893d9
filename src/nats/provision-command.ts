import { join } from 'node:path';
import { provideNatsServer } from './provision.ts';

/** Run as a program before the tests: makes sure that a nats-server is there and says nothing when one is. */
try {
  const cacheDir = join(import.meta.dirname, '..', '..', '.cache', 'nats-server');
  await provideNatsServer({ cacheDir, log: (line) => console.error(line) });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
