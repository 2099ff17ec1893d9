import fc from 'fast-check';
import { expect, test } from 'vitest';
import { soup, validFilter } from '../../http/filters-arbitraries.ts';
import { HubProcess } from '../../_support/hub-process.ts';
import { SourceClient } from '../../_support/source-client.ts';

const filters = 10_000;
const atOnce = 8;
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_121);

/** What the query language of words makes something of, as a value of `text`. */
const queries = fc
  .array(
    fc.constantFrom(
      '"',
      '""',
      '\\"',
      ' NEAR(',
      ' AND ',
      ' NOT ',
      ' OR ',
      '^',
      '*',
      ':',
      '{',
      '}',
      '(',
      ')',
      '+',
      '-',
      'a',
      '\0',
      'words',
      'rowid',
      "'",
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));
const quotedQueries = queries.map((query) => `text:"${query.replaceAll(/["\\]/g, '\\$&')}"`);
const rawQueries = queries.map((query) => `text:${query}`);
const anything = fc.oneof(validFilter, soup, quotedQueries, rawQueries, fc.string({ unit: 'binary' }));

test('10,000 filters get an answer or 400', { timeout: 240_000 }, async () => {
  await using hub = await HubProcess.start();
  await using source = await SourceClient.register(hub, 'fuzz');
  for (const name of ['ann', 'bob', 'cleo']) await source.ingest(name, `said by ${name}`);
  const samples = fc.sample(anything, { numRuns: filters, seed });
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < samples.length && failures.length < 5; n = next++) {
      const filter = samples[n]!;
      const { status, body } = await hub.post<{ code?: string }>('/conversations.list', { filters: filter });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isFine = status === 200 || (status === 400 && ['invalid_filter', 'invalid_request'].includes(body.code!));
      if (!isFine)
        failures.push(`#${n} (seed ${seed}) ${status} ${JSON.stringify(body)} for ${JSON.stringify(filter)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect(failures).toEqual([]);
  // Both happen often: it is not that nothing gets as far as the index.
  expect(statuses.get(200)).toBeGreaterThan(filters / 4);
  expect(statuses.get(400)).toBeGreaterThan(filters / 10);
});
