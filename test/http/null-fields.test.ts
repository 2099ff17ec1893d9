import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dropNulls } from '#src/http/null-fields.ts';
import { operations } from '#src/http/operations.ts';
import { sourceActorId } from '#actors/ids.ts';
import { answering, startApi } from '../_support/api.ts';
import { systemToken } from '../_support/config.ts';

const dropped = (schema: z.ZodType, value: unknown): unknown => {
  dropNulls(schema, value);
  return value;
};

describe('a null', () => {
  const inner = z.object({ a: z.string().optional(), b: z.string().nullish(), c: z.unknown(), d: z.string() });
  const nulls = { a: null, b: null, c: null, d: null, e: null };
  const kept = { b: null, c: null, d: null, e: null };

  it.each([
    ['in the body', inner, nulls, kept],
    ['in an optional field', z.object({ x: inner.optional() }), { x: { ...nulls } }, { x: kept }],
    ['in an array', z.object({ x: z.array(inner).nullish() }), { x: [{ ...nulls }, null] }, { x: [kept, null] }],
    ['in a map', z.record(z.string(), inner), { x: { ...nulls } }, { x: kept }],
    ['before a change', inner.transform(() => 1), { ...nulls }, kept],
  ])('%s goes where the field may be absent', (_, schema, value, wanted) => {
    expect(dropped(schema, value)).toEqual(wanted);
  });

  it('stays in what is not described', () => {
    const value = { data: { a: null, b: [null] }, list: 'text' };
    expect(dropped(z.object({ data: z.record(z.string(), z.unknown()), list: z.array(inner) }), value)).toEqual({
      data: { a: null, b: [null] },
      list: 'text',
    });
  });
});

/** What a request, or each item of one that is a list, is made of. */
const shapeOf = (request: z.ZodType): z.core.$ZodShape =>
  ((request instanceof z.ZodArray ? request.element : request) as z.ZodObject).shape;

/** Each optional field of each operation. */
const optionalFields = operations.flatMap((operation) =>
  Object.entries(shapeOf(operation.request))
    .filter(([, field]) => (field as z.ZodType).isOptional())
    .map(([name]) => ({ operation, name })),
);

describe('every operation', () => {
  it('takes null for each optional field', async () => {
    await using api = await startApi();
    api.dispatch(answering(200, {}));
    const { issuedAt } = await api.commands.send('source', sourceActorId('shop'), 'source.create', {
      sourceId: 'shop',
    });
    const { body } = await api.post<{ id: string }>('/channels.chatplugin.connect', { name: 'shop' });
    const begun = await api.post<{ token: string }>('/chatplugin.authenticate', { channel_id: body.id });
    const visitor = begun.body.token;
    const tokens = { core: systemToken, source: await api.tokenOf('shop', issuedAt), visitor };
    const token = { ...tokens, 'visitor-or-system': systemToken, public: '' };
    expect(optionalFields.length).toBeGreaterThan(30);
    for (const { operation, name } of optionalFields) {
      const isList = Array.isArray(operation.example);
      const [example] = [operation.example].flat() as Record<string, unknown>[];
      const { [name]: _, ...absent } = example!;
      const bodyOf = (fields: object): unknown => (isList ? [fields] : fields);
      const headers = { Authorization: token[operation.auth] };
      const without = await api.post(operation.path, bodyOf(absent), headers);
      const withNull = await api.post(operation.path, bodyOf({ ...absent, [name]: null }), headers);
      const refused = [without, withNull].map(({ body }) => body?.code === 'invalid_request');
      expect([operation.path, name, refused[1]]).toEqual([operation.path, name, refused[0]]);
    }
  });
});
