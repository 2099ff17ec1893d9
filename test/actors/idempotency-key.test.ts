import { expect, test } from 'vitest';
import { keyLifetime } from '#actors/idempotency-key/commands.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { elapse, failureOf, rowsOf } from './support.ts';

const key = uuidV5(namespaces.idempotencyKey, 'someone', 'k1');
const answer = { status: 200, body: '{"id":1}', headers: { 'content-type': 'application/json' } };

test('a key gives its first answer to the same body', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const claim = () => commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' });
  const { generation } = await claim();
  expect(await claim()).toEqual({ answer: null, generation });
  await commands.send('idempotency-key', key, 'key.complete', { generation, answer });
  await commands.send('idempotency-key', key, 'key.complete', { generation, answer: { ...answer, status: 500 } });
  expect(await claim()).toEqual({ answer, generation });
  await system.restart();
  expect(await claim()).toEqual({ answer, generation });
});

test('a key refuses another body', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' });
  expect(await failureOf(commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h2' }))).toBe(
    'idempotency_conflict',
  );
});

test('a key is free again after a day', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const claim = (bodyHash: string) => commands.send('idempotency-key', key, 'key.claim', { bodyHash });
  const complete = (generation: number) =>
    commands.send('idempotency-key', key, 'key.complete', { generation, answer });
  const { generation: first } = await claim('h1');
  await complete(first);
  system.clock.advance(keyLifetime);
  expect(await claim('h1')).toEqual({ answer, generation: first });
  system.clock.advance(1);
  const { generation: second } = await claim('h2');
  expect(second).not.toBe(first);
  await complete(first);
  expect(await claim('h2')).toEqual({ answer: null, generation: second });
});

test('a forgotten key that is used again has another generation', async () => {
  const hour = 60 * 60 * 1000;
  await using system = new ActorSystem({ retention: { journal: 30 * hour } });
  const claim = () => system.commands().send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' });
  const { generation: first } = await claim();
  await elapse(system, 36 * hour, hour);
  expect(rowsOf(system.file).idempotency_key).toEqual([]);
  expect((await claim()).generation).toBeGreaterThan(first);
});

test('completing an unclaimed key changes nothing', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  expect(await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer })).toBeNull();
  expect(await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' })).toMatchObject({ answer: null });
});
