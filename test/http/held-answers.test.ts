import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from '#actors/errors.ts';
import {
  type Answer,
  type CoreCall,
  created,
  defineOperation,
  empty,
  ok,
  type Operation,
  type SourceCall,
} from '#src/http/operation.ts';
import { type ApiOptions, refusalOf, startApi } from '../_support/api.ts';
import { HubProcess } from '../_support/hub-process.ts';

const thing = z.object({ id: z.string(), parts: z.array(z.object({ n: z.int() })), note: z.string().optional() });
const sound = { id: 'a', parts: [{ n: 1 }] };

/** An operation that declares a thing, 204 and `not_found`, and does what it is told, as a careless author would. */
const operation = (handle: (call: CoreCall) => Answer, more: Partial<Operation> = {}): Operation => ({
  ...defineOperation({
    path: '/things.info',
    summary: 'One thing.',
    auth: 'core',
    request: z.object({}),
    example: {},
    responses: { 200: thing, 204: null },
    errors: ['not_found'],
    handle: () => ok(sound),
  }),
  handle: handle as Operation['handle'],
  ...more,
});

const refuse = (code: 'not_found' | 'message_not_failed' | 'overloaded') => () => {
  throw new Failure(code, 'No.');
};

const serve = (made: Operation, options: ApiOptions = {}) => startApi({ ...options, operations: [made] });

describe('an operation held to its declaration', () => {
  it.each([
    ['the declared body', () => ok(sound), 200],
    ['an optional field', () => ok({ ...sound, note: 'x' }), 200],
    ['no body', () => empty(204), 204],
    ['a declared failure', refuse('not_found'), 404],
    ['a failure that all have', refuse('overloaded'), 503],
  ])('may answer %s', async (_, handle, status) => {
    await using api = await serve(operation(handle));
    expect((await api.post('/things.info')).status).toBe(status);
  });

  it.each([
    ['an undeclared failure', refuse('message_not_failed'), 'fails with message_not_failed'],
    ['another status', () => created(sound), 'answers 201'],
    ['a body where none is declared', () => ({ status: 204, body: sound }), 'declares none'],
    ['no body where one is declared', () => ({ status: 200, body: undefined }), 'body:'],
    ['a field of another type', () => ok({ ...sound, id: 7 }), 'id:'],
    ['a body without a field', () => ok({ parts: [] }), 'id:'],
    ['a header that is not declared', () => empty(204, { 'X-Thing': 'a' }), 'with X-Thing'],
    ['a field more', () => ok({ ...sound, secret: 's' }), 'body.secret is not in its schema'],
    ['a field more deep inside', () => ok({ ...sound, parts: [{ n: 1, m: 2 }] }), 'body.parts.0.m is not'],
  ])('is caught answering %s', async (_, handle, problem) => {
    await using api = await serve(operation(handle), { defectsExpected: true });
    expect(refusalOf(await api.post('/things.info'))).toEqual([500, 'internal']);
    const [line] = api.lines.filter(({ event }) => event === 'operation.failed');
    expect(String(line!.fields['error'])).toContain(problem);
  });

  it('is caught declaring another schema', async () => {
    const made = operation(() => ok(sound), { responses: { 200: z.object({ id: z.string() }) } });
    await using api = await serve(made, { defectsExpected: true });
    expect(refusalOf(await api.post('/things.info'))).toEqual([500, 'internal']);
  });

  it('fails the test that does not expect it', async () => {
    const api = await serve(operation(() => ok({})));
    await api.post('/things.info');
    await expect(api[Symbol.asyncDispose]()).rejects.toThrow('not the declared one');
  });

  it('is so in a hub of its own process too', async () => {
    await using hub = await HubProcess.start();
    expect(hub.log[0]).toMatchObject({ msg: 'operations.held' });
    const forgotten = new Error('/things.info answers 201');
    hub.defects.push(forgotten.message);
    await expect(hub[Symbol.asyncDispose]()).rejects.toThrow(forgotten.message);
    hub.defects.length = 0;
  });
});

describe('the compiler', () => {
  const declared = {
    path: '/things.info',
    summary: 'One thing.',
    request: z.object({}),
    example: {},
    responses: { 200: thing, 204: null },
    errors: [],
  } as const;

  it('refuses answers that are not declared', () => {
    const refused = [
      // @ts-expect-error: another shape
      defineOperation({ ...declared, auth: 'core', handle: () => ok({ id: 7, parts: [] }) }),
      // @ts-expect-error: another status
      defineOperation({ ...declared, auth: 'core', handle: () => created(sound) }),
      // @ts-expect-error: a body where none is declared
      defineOperation({ ...declared, auth: 'core', handle: () => ({ status: 204, body: sound }) }),
      // @ts-expect-error: no body where one is declared
      defineOperation({ ...declared, auth: 'core', handle: async () => empty(200) }),
    ];
    expect(refused).toHaveLength(4);
  });

  it('refuses callers whom the scope does not let in', () => {
    const reply = ({ caller }: SourceCall) => ok({ ...sound, id: caller.sourceId });
    const refused = [
      // @ts-expect-error: the core API has no source
      defineOperation({ ...declared, auth: 'core', handle: reply }),
      // @ts-expect-error: nobody was asked who they are
      defineOperation({ ...declared, auth: 'public', handle: ({ caller }: CoreCall) => ok({ ...sound, ...caller }) }),
    ];
    expect([...refused, defineOperation({ ...declared, auth: 'source', handle: reply })]).toHaveLength(3);
  });
});
