import { expect, test } from 'vitest';
import { decode, encode, type Envelope, type Reply } from '#actors/runtime/envelope.ts';
import { type Bus, BusError } from '#actors/ports.ts';
import { shardOf } from '#actors/runtime/shard.ts';
import { workSubject } from '#src/nats/subjects.ts';
import { commandSenders } from '#src/runtime/command-sender.ts';
import { systemClock, SystemIds } from '#src/runtime/system.ts';
import { ActorSystem, connectTestChannel, testChannel } from '../_support/actor-system.ts';

type Try = Reply | 'timeout' | 'no_responder' | 'too_large';

const overloaded: Reply = {
  ok: false,
  failure: { code: 'overloaded', message: 'Too many. Nothing was changed; try again.', retryAfter: 1 },
};

/**
 * Sends a command over a bus that answers as scripted; the last one stays. Time passes with every try and wait.
 * @param setBack by how much somebody sets the clock back during the first try, in ms
 */
function sendOver(tries: Try[], setBack = 0): Promise<unknown> {
  let now = 0;
  let isSetBack = false;
  const bus: Pick<Bus, 'request'> = {
    request(subject, _data, timeoutMs) {
      const end = tries.length > 1 ? tries.shift()! : tries[0]!;
      now += end === 'timeout' ? timeoutMs : 1;
      isSetBack = true;
      if (typeof end !== 'string') return Promise.resolve(encode(end));
      return Promise.reject(new BusError(end, `${end} on ${subject}`));
    },
  };
  const clock = {
    now: () => (isSetBack ? now - setBack : now),
    elapsed: () => now,
    schedule(delayMs: number, run: () => void) {
      if (now > 60_000) throw new Error('it waits for ever');
      now += delayMs;
      run();
      return () => {};
    },
    soon: systemClock.soon,
  };
  return commandSenders({ bus: bus as Bus, clock, ids: new SystemIds(), shards: 1 })({ cause: 'test' }).send(
    'channel',
    testChannel,
    'channel.disconnect',
    null,
  );
}

test('a refusal after a try without answer is not the last word', async () => {
  const done: Reply = { ok: true, result: { channel: 'done' } };
  await expect(sendOver(['timeout', overloaded, done])).resolves.toEqual({ channel: 'done' });
});

test('a refusal of the only try is the answer', async () => {
  await expect(sendOver([overloaded])).rejects.toMatchObject({ code: 'overloaded' });
});

test.each<[string, Try[], RegExp]>([
  ['nobody', ['no_responder'], /Nothing was changed/],
  ['a timeout, then nobody', ['timeout', 'no_responder'], /what was done is not done twice/],
  ['a timeout, then refusals', ['timeout', overloaded], /what was done is not done twice/],
])('%s gives an answer that is true', async (_name, tries, message) => {
  await expect(sendOver(tries)).rejects.toThrow(message);
});

test('a clock that is set back makes nobody wait longer', async () => {
  await expect(sendOver(['no_responder'], 3_600_000)).rejects.toMatchObject({ code: 'unavailable' });
});

test('an expired repeat of an answered command gets its answer', async () => {
  await using system = new ActorSystem();
  await connectTestChannel(system.commands());
  const now = system.clock.now();
  const envelope: Envelope = {
    commandId: new SystemIds().uuid(),
    actor: { kind: 'channel', id: testChannel },
    type: 'channel.update',
    body: { name: 'Line 2' },
    now,
    deadline: now + 100,
    cause: 'test',
  };
  const subject = workSubject(shardOf(testChannel, 1), envelope.actor);
  const ask = async (): Promise<Reply> => decode<Reply>(await system.bus.request(subject, encode(envelope), 1_000));
  const first = await ask();
  expect(first.ok).toBe(true);
  system.clock.advance(1_000);
  expect(await ask()).toEqual({ ...first, replayed: true });
});

test('what is too large to be carried is refused at once', async () => {
  await expect(sendOver(['too_large'])).rejects.toMatchObject({ code: 'body_too_large' });
});
