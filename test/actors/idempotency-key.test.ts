import { expect, test } from 'vitest';
import { keyLifetime } from '#actors/idempotency-key/commands.ts';
import { namespaces } from '#actors/ids.ts';
import { uuidV5 } from '#actors/uuid.ts';
import { ActorSystem } from '../_support/actor-system.ts';
import { failureOf } from './support.ts';

const key = uuidV5(namespaces.idempotencyKey, 'someone', 'k1');
const answer = { status: 200, body: '{"id":1}', headers: { 'content-type': 'application/json' } };

test('a key gives its first answer to the same body', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  const claim = () => commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' });
  expect(await claim()).toEqual({ answer: null, generation: 1 });
  expect(await claim()).toEqual({ answer: null, generation: 1 });
  await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer });
  await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer: { ...answer, status: 500 } });
  expect(await claim()).toEqual({ answer, generation: 1 });
  await system.restart();
  expect(await claim()).toEqual({ answer, generation: 1 });
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
  await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' });
  await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer });
  system.clock.advance(keyLifetime);
  expect(await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' })).toEqual({
    answer,
    generation: 1,
  });
  system.clock.advance(1);
  expect(await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h2' })).toEqual({
    answer: null,
    generation: 2,
  });
  await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer });
  expect(await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h2' })).toMatchObject({ answer: null });
});

test('completing an unclaimed key changes nothing', async () => {
  await using system = new ActorSystem();
  const commands = system.commands();
  expect(await commands.send('idempotency-key', key, 'key.complete', { generation: 1, answer })).toBeNull();
  expect(await commands.send('idempotency-key', key, 'key.claim', { bodyHash: 'h1' })).toMatchObject({ answer: null });
});
