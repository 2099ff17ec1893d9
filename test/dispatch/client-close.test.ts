import { expect, test } from 'vitest';
import { createOutgoingClient } from '#src/outgoing/client.ts';
import { startReceiver } from './receiver.ts';

test('a client whose patience is over ends its calls as closed', async () => {
  await using headers = await startReceiver(() => {}, '127.0.0.1');
  await using body = await startReceiver((response) => response.write('a'), '127.0.0.1');
  const client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'] });
  const calls = [headers, body].map(({ port }) =>
    client.send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}', timeoutMs: 20_000 }),
  );
  await expect.poll(() => headers.requests.length + body.requests.length).toBe(2);
  await client.close(20);
  for (const result of await Promise.all(calls)) expect(result).toMatchObject({ kind: 'failed', reason: 'closed' });
});

test('a client that was closed before its first call makes none', async () => {
  await using receiver = await startReceiver((response) => response.end(), '127.0.0.1');
  const client = createOutgoingClient({ allowNetworks: ['127.0.0.0/8'] });
  await client.close();
  const result = await client.send({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}' });
  expect(result).toMatchObject({ kind: 'failed', reason: 'closed' });
  expect(receiver.requests).toEqual([]);
});
