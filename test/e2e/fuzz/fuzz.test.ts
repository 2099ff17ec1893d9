import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FailureCode } from '#actors/errors.ts';
import { operations } from '#src/http/operations.ts';
import { undocumentedIn } from '../../_support/documented-answers.ts';
import { answerProblem, failureProblem } from '../../_support/held-answers.ts';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient } from '../../_support/source-client.ts';
import { checkFile } from '../crash/ledger.ts';
import { type Input, inputsOf, type OpenApi } from './inputs.ts';

const inputs = 10_000;
const atOnce = 8;
const slowest = 1_000;
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_121);

/** What is wrong with the hub's answer to an input; null when nothing is. */
async function problemWith(hub: HubProcess, token: string, input: Input): Promise<string | null> {
  const authorization = { none: null, source: `Bearer ${token}`, garbage: 'Bearer x.y.z' }[input.auth];
  const started = performance.now();
  const response = await fetch(hub.url + input.path, {
    method: 'POST',
    headers: { 'Content-Type': input.contentType, ...(authorization && { Authorization: authorization }) },
    body: new Uint8Array(input.body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  const ms = performance.now() - started;
  if (response.status >= 500) return `status ${response.status}: ${text}`;
  if (ms > slowest) return `took ${Math.round(ms)} ms`;
  const operation = operations.find(({ path }) => path === input.path)!;
  if (response.status < 400) {
    const body = text === '' ? undefined : JSON.parse(text);
    return answerProblem(operation, response.status, body) ?? undocumentedIn(input.path, response.status, body ?? null);
  }
  if (!response.headers.get('content-type')?.startsWith('application/json'))
    return `an error that is not JSON: ${text}`;
  const body = JSON.parse(text) as { error?: unknown; code?: unknown };
  if (typeof body.error !== 'string') return `not the schema: ${text}`;
  return failureProblem(operation, body.code as FailureCode) ?? undocumentedIn(input.path, response.status, body);
}

test('10,000 bad inputs get no 5xx and break nothing', { timeout: 180_000 }, async () => {
  await using hub = await HubProcess.start();
  await using source = await SourceClient.register(hub, 'fuzz');
  const { id, conversation_id } = await source.ingest('ann', 'm-1');
  const document = (await (await fetch(`${hub.url}/openapi.json`)).json()) as OpenApi;
  const channels = await hub.post<{ data: { id: string }[] }>('/channels.list', {});
  const known = [
    id,
    conversation_id,
    channels.body.data[0]!.id,
    'line',
    'ann',
    'm-1',
    'sources-telco',
    'media-resolver',
  ];
  const samples = fc.sample(inputsOf(document, known), { numRuns: inputs, seed });
  const failures: string[] = [];
  const statuses = new Map<string, number>();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < samples.length && failures.length < 5; n = next++) {
      const input = samples[n]!;
      statuses.set(input.path, (statuses.get(input.path) ?? 0) + 1);
      const problem = await problemWith(hub, source.token, input);
      if (problem === null) continue;
      failures.push(`#${n} ${input.path} (seed ${seed}) ${problem}\n  body ${input.body.toString().slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect(failures).toEqual([]);
  expect(statuses.size).toBe(Object.values(document.paths).filter((item) => item.post).length);
  // Some of the inputs were good enough to disconnect the channel they were about.
  await using other = await SourceClient.register(hub, 'after-all');
  expect((await other.ingest('ann', 'm-2')).status).toBe(200);
  expect(await hub.stop()).toBe(0);
  expect(checkFile(hub.file).problems).toEqual([]);
});
