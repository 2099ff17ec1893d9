import { expect, test } from 'vitest';
import { simulatedSources } from '#src/doubles/sources.ts';
import { startPlatform } from '../../_support/platform-double.ts';

interface Refused {
  error: string;
  code: string;
}

test('the pages of a user are all found', { timeout: 40_000 }, async () => {
  await using stage = await startPlatform('pageplatform');
  const { operation, body } = stage.double.connect;
  const explore = async () => {
    const answer = await stage.hub.post<{ data: { name: string; page_id: string; connected: boolean }[] }>(
      '/channels.pageplatform.explore',
      { auth_token: body['page_token'] },
    );
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data;
  };
  expect((await explore()).map(({ name }) => name)).toEqual(['Lamp shop', 'Book shop', 'Flower shop']);
  expect((await stage.hub.post(`/${operation}`, body)).status).toBe(200);
  expect((await explore()).map(({ connected }) => connected)).toEqual([true, false, false]);
});

test.each([
  ['pageplatform', 'page_token'],
  ['photoplatform', 'page_token'],
  ['cloudmsg', 'user_token'],
])('%s refuses a token, and nobody repeats it', { timeout: 40_000 }, async (source, field) => {
  await using stage = await startPlatform(source);
  const token = 'EAA-canary-of-a-token';
  const { operation, body } = stage.double.connect;
  const answer = await stage.hub.post<Refused>(`/${operation}`, { ...body, [field]: token });
  expect(answer).toMatchObject({ status: 400, body: { code: 'source_rejected', error: expect.any(String) } });
  expect(JSON.stringify([answer.body, stage.hub.log])).not.toContain(token);
  expect((await stage.hub.post<{ data: unknown[] }>('/channels.list', { source })).body.data).toEqual([]);
});

test.each(simulatedSources.map(({ source }) => [source]))(
  '%s can be left while it is away',
  { timeout: 60_000 },
  async (source) => {
    await using stage = await startPlatform(source);
    const { hub, double } = stage;
    const { operation, body } = double.connect;
    const { body: channel } = await hub.post<{ id: string }>(`/${operation}`, body);
    await double[Symbol.asyncDispose]();
    expect((await hub.post(`/channels.${source}.disconnect`, { channel_id: channel.id })).status).toBe(202);
    const again = await hub.post<Refused>(`/${operation}`, body);
    expect(again).toMatchObject({ status: 502, body: { code: 'source_unreachable' } });
  },
);
