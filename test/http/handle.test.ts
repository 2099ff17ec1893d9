import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import { sourceActorId } from '#actors/ids.ts';
import { requestIdOf } from '#src/http/handle.ts';
import { type Answer, type CoreCall, defineOperation, ok, type Operation } from '#src/http/operation.ts';
import { type ApiOptions, startApi, type TestApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api[Symbol.asyncDispose]();
});

type Said = Answer<200, unknown>;

const echo = (handler: (call: CoreCall, body: { text: string }) => Said | Promise<Said>): Operation =>
  defineOperation({
    path: '/things.echo',
    summary: 'Says it again',
    auth: 'core',
    feature: 'source-api',
    request: z.object({ text: z.string(), items: z.array(z.object({ id: z.string() })).optional() }),
    example: { text: 'hello' },
    responses: { 200: z.unknown() },
    errors: ['feature_disabled', 'not_found', 'forbidden'],
    handle: handler,
  });

interface Body {
  [field: string]: unknown;
  code: string;
  error: string;
  details: { path: string }[];
}

/** One operation behind a real server. */
async function serve(operation: Operation, options: ApiOptions = {}) {
  const api = await startApi({ ...options, operations: [operation] });
  open.push(api);
  const post = (body: unknown, headers: Record<string, string> = {}) => api.post<Body>('/things.echo', body, headers);
  return { post, api };
}

const counting = () => {
  let done = 0;
  return echo((call, { text }) => ok({ text, id: call.newId(), done: ++done }));
};

describe('an operation', () => {
  it('answers what its handler made', async () => {
    const { post } = await serve(echo((_call, { text }) => ok({ text })));
    expect(await post({ text: 'hi' })).toMatchObject({ status: 200, body: { text: 'hi' } });
  });

  it('says which fields do not fit', async () => {
    const { post } = await serve(counting());
    const { status, body } = await post({ items: [{ id: 'a' }, {}] });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details.map((detail) => detail.path).sort()).toEqual(['items[1].id', 'text']);
  });

  it('answers 409 when its feature is off', async () => {
    const config = testConfig();
    config.integration['source-api'].enabled = false;
    const { post } = await serve(counting(), { config });
    const { status, body } = await post({ text: 'hi' });
    expect([status, body.code]).toEqual([409, 'feature_disabled']);
    expect(body.error).toContain('integration.source-api.enabled');
  });

  it('hides a defect and logs it once as an error', async () => {
    const broken = echo(() => {
      throw new Error('the password is hunter2');
    });
    const { post, api } = await serve(broken, { defectsExpected: true });
    const { status, body } = await post({ text: 'hi' }, { 'x-request-id': 'req-7' });
    expect([status, body.code]).toEqual([500, 'internal']);
    expect(body.error).toContain('req-7');
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(api.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('leaves one line with path, status, code and request id', async () => {
    const { post, api } = await serve(counting());
    await post('{', { 'x-request-id': 'req-8' });
    const answered = api.lines.filter(({ event }) => event === 'operation.answered').map(({ fields }) => fields);
    expect(answered).toEqual([
      { operation: '/things.echo', status: 400, code: 'malformed_json', requestId: 'req-8', ms: expect.any(Number) },
    ]);
  });

  it('is counted by path and status', async () => {
    const { post, api } = await serve(counting());
    await post({ text: 'hi' });
    await post({});
    const text = await api.metrics.registry.metrics();
    for (const status of [200, 400]) {
      expect(text).toContain(`parley_operation_duration_seconds_count{operation="/things.echo",status="${status}"} 1`);
    }
  });

  it('gives its commands the request as their cause', async () => {
    const sends = echo(async ({ commands }) => {
      await commands.send('source', sourceActorId('shop'), 'source.create', { sourceId: 'shop' });
      return ok({});
    });
    const { post, api } = await serve(sends);
    await post({ text: 'hi' }, { 'x-request-id': 'req-9' });
    const caller = 'agent parley-core-anonymous';
    expect(api.sent.map(({ origin }) => origin)).toEqual([{ cause: `${caller} req-9`, caller }]);
  });
});

describe('a request id', () => {
  it('is the given one when it is usable', async () => {
    const { api } = await serve(counting());
    const { services } = api;
    for (const id of ['a', 'x'.repeat(128), '!~']) {
      expect(requestIdOf({ 'x-request-id': id }, services)).toBe(id);
    }
    for (const id of ['', 'x'.repeat(129), 'a b', 'ü']) {
      expect(requestIdOf({ 'x-request-id': id }, services)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('an idempotency key', () => {
  const key = { 'idempotency-key': 'k-1' };

  it('gets the first answer again', async () => {
    const { post } = await serve(counting());
    const [first, again] = [await post({ text: 'a' }, key), await post({ text: 'a' }, key)];
    expect(again.body).toEqual(first.body);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  it('is refused with another body', async () => {
    const { post } = await serve(counting());
    await post({ text: 'a' }, key);
    expect(await post({ text: 'b' }, key)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('keeps refusals below 500, but not those of the moment', async () => {
    const codes = ['not_found', 'forbidden', 'unavailable'] as const;
    for (const code of codes) {
      let tries = 0;
      const failing = echo(() => {
        throw new Failure(code, `Try ${++tries}.`);
      });
      const { post } = await serve(failing);
      await post({ text: 'a' }, key);
      const { body, headers } = await post({ text: 'a' }, key);
      const kept = code === 'not_found';
      expect([code, body.error, headers.get('idempotency-replayed')]).toEqual([
        code,
        kept ? 'Try 1.' : 'Try 2.',
        kept ? 'true' : null,
      ]);
    }
  });

  it('gives the same ids to a second try', async () => {
    const ids: string[] = [];
    const flaky = echo((call) => {
      ids.push(call.newId());
      throw new Failure('unavailable', 'Later.');
    });
    const { post } = await serve(flaky);
    await post({ text: 'a' }, key);
    await post({ text: 'a' }, key);
    await post({ text: 'b' }, { 'idempotency-key': 'k-2' });
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('is another request once it is more than a day old', async () => {
    const { post, api } = await serve(counting());
    const first = await post({ text: 'a' }, key);
    api.system.clock.set(25 * 60 * 60 * 1_000);
    const later = await post({ text: 'a' }, key);
    expect(later.headers.get('idempotency-replayed')).toBeNull();
    expect(later.body).toMatchObject({ text: 'a', done: 2 });
    expect(later.body['id']).not.toBe(first.body['id']);
  });

  it("is its caller's alone", async () => {
    const { post } = await serve(counting());
    const anonymous = await post({ text: 'a' }, key);
    const system = await post({ text: 'b' }, { ...key, authorization: `Bearer ${systemToken}` });
    expect([anonymous, system].map(({ body }) => body['text'])).toEqual(['a', 'b']);
  });

  it('means nothing to what only reads', async () => {
    const { post, api } = await serve({ ...counting(), isRead: true });
    const answers = [await post({ text: 'a' }, key), await post({ text: 'a' }, key), await post({ text: 'b' }, key)];
    expect(answers.map(({ status, body }) => [status, body['done']])).toEqual([1, 2, 3].map((done) => [200, done]));
    expect(answers.every(({ headers }) => headers.get('idempotency-replayed') === null)).toBe(true);
    expect(api.sent).toEqual([]);
  });

  it('is 1 to 255 visible ASCII characters', async () => {
    const { post } = await serve(counting());
    for (const bad of ['', 'a b', 'x'.repeat(256), 'é']) {
      expect((await post({ text: 'a' }, { 'idempotency-key': bad })).body.code, bad).toBe('invalid_idempotency_key');
    }
    expect((await post({ text: 'a' }, { 'idempotency-key': 'x'.repeat(255) })).status).toBe(200);
  });
});

describe('a body', () => {
  const head = (more: string) =>
    `POST /things.echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

  it('is not waited for when the caller is refused', async () => {
    const { api } = await serve(counting(), { config: testConfig({ authentication: true }) });
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(head('Content-Length: 1000'));
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('that breaks off is no defect', async () => {
    const { api } = await serve(counting());
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`${head('Content-Length: 1000')}{"text":`, () => socket.resetAndDestroy());
    await vi.waitFor(() => expect(api.lines.map(({ event }) => event)).toContain('operation.answered'), {
      interval: 2,
    });
    const levels = api.lines.map(({ level }) => level);
    expect(levels).not.toContain('error');
    expect(api.lines.at(-1)).toMatchObject({ level: 'info', fields: { code: 'invalid_request' } });
  });
});
