/**
 * Loaded before the hub's own first file (`node --import`) wherever tests run a hub as a process: every operation is
 * held to what it declares. Worker threads load it too and have no operations.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const [{ operations }, { held }] = await Promise.all([
    import('#src/http/operations.ts'),
    import('./held-answers.ts'),
  ]);
  for (const operation of operations) Object.assign(operation, held(operation));
  process.stdout.write(`${JSON.stringify({ msg: 'operations.held', operations: operations.length })}\n`);
}
