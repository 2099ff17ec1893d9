import { describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../_support/api.ts';

const key = { 'Idempotency-Key': 'once' };

/** Eight requests at once with one new key. */
const eight = (api: TestApi, path: string, body: object) =>
  Promise.all(Array.from({ length: 8 }, () => api.post<{ id: string }>(path, body, key)));

const replays = (answers: { headers: Headers }[]): (string | null)[] =>
  answers.map(({ headers }) => headers.get('Idempotency-Replayed')).toSorted();

describe('requests at once with one new key', () => {
  it('have one first answer, which the others repeat', async () => {
    await using api = await startApi();
    const answers = await eight(api, '/tags.create', { name: 'Urgent', color: 'tag-red' });
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(replays(answers)).toEqual([null, ...Array(7).fill('true')].toSorted());
    expect((await api.post<{ data: unknown[] }>('/tags.list')).body.data).toHaveLength(1);
  });

  it('have one first refusal', async () => {
    await using api = await startApi();
    const answers = await eight(api, '/tags.delete', { id: '0192f3a4-5b6c-7d8e-9f01-23456789abce' });
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(404));
    expect(replays(answers)).toEqual([null, ...Array(7).fill('true')].toSorted());
  });

  it('have one secret, which is kept by none of them', async () => {
    await using api = await startApi();
    const answers = await eight(api, '/sources.create', { source_id: 'shop' });
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(replays(answers)).toEqual([null, ...Array(7).fill('true')].toSorted());
  });
});
