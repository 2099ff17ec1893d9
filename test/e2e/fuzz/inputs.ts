import fc from 'fast-check';

/** The part of a JSON Schema that the generator reads; everything else is ignored. */
export interface Schema {
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
}

export interface OpenApi {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>;
  components?: { schemas?: Record<string, Schema> };
}

/** One request: bytes as they go out. */
export interface Input {
  path: string;
  body: Buffer;
  contentType: string;
  auth: 'none' | 'source' | 'garbage';
}

const megabyte = 1024 * 1024;
const deepest = 5_000;
const deepestSchema = 4;

const nastyText = fc.oneof(
  fc.constantFrom('', ' ', '\u0000', 'a\u0000b', '\ud800', 'x\udfff', '__proto__', 'constructor', '../../etc/passwd'),
  fc.constantFrom("'; DROP TABLE message; --", '%', '*', '$ne', '‮', '\u{1F600}'.repeat(100), '1e309', '-0', 'NaN'),
  fc.constantFrom('2026-02-30T00:00:00Z', '9999999999999999', 'http://[::1', 'ftp://x', 'javascript:1', 'file:///etc'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uuid(),
);

const scalar = fc.oneof(
  nastyText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 1e21),
  fc.integer(),
);

const anything: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(nastyText, fc.constantFrom('message', 'metadata', 'text')), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Bodies that are text and no value of a schema. */
const rawBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map((text) => Buffer.from(text)) },
  { weight: 20, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 10,
    arbitrary: fc.integer({ min: 1, max: deepest }).map((n) => Buffer.from('['.repeat(n) + ']'.repeat(n))),
  },
  {
    weight: 10,
    arbitrary: fc.integer({ min: 1, max: deepest }).map((n) => Buffer.from(`${'{"a":'.repeat(n)}1${'}'.repeat(n)}`)),
  },
  { weight: 10, arbitrary: fc.constantFrom('{', '[]', '""', '1', 'null', '{"a":1,}', '﻿{}', '{}{}').map(Buffer.from) },
  {
    weight: 10,
    arbitrary: fc
      .constantFrom(
        '{"__proto__":{"polluted":true}}',
        '{"constructor":{"prototype":{"polluted":true}}}',
        '{"conversation_id":"\\ud800"}',
        '{"message":{"text":"\\u0000"}}',
      )
      .map(Buffer.from),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(megabyte - 20, megabyte, megabyte + 20)
      .map((n) => Buffer.from(`{"x":"${'y'.repeat(n)}"}`)),
  },
);

/** Values near a schema: mostly of the right shape, with something wrong here and there. */
function near(schema: Schema, document: OpenApi, known: string[], depth = 0): fc.Arbitrary<unknown> {
  const resolved = resolve(schema, document);
  const right = depth > deepestSchema ? anything : rightShape(resolved, document, known, depth);
  return fc.oneof(
    { weight: 12, arbitrary: right },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: scalar },
  );
}

function resolve(schema: Schema, document: OpenApi): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  return document.components?.schemas?.[name] ?? {};
}

function rightShape(schema: Schema, document: OpenApi, known: string[], depth: number): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives && alternatives.length > 0) {
    return fc.oneof(...alternatives.map((part) => near(part, document, known, depth + 1)));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties) return objectNear(schema, document, known, depth);
  if (type === 'array') return fc.array(near(schema.items ?? {}, document, known, depth + 1), { maxLength: 3 });
  if (type === 'integer' || type === 'number') return fc.oneof(fc.integer(), fc.double(), fc.constant(Date.now()));
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return fc.oneof(fc.constantFrom(...known), nastyText);
  return anything;
}

function objectNear(schema: Schema, document: OpenApi, known: string[], depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const model: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, part] of properties) model[name] = near(part, document, known, depth + 1);
  const record = fc.record(model, { requiredKeys: [] });
  const complete = fc.record(model);
  const extra = fc.dictionary(nastyText, scalar, { maxKeys: 2 });
  return fc.oneof(
    { weight: 6, arbitrary: complete },
    { weight: 3, arbitrary: record },
    { weight: 1, arbitrary: fc.tuple(complete, extra).map(([object, more]) => ({ ...object, ...more })) },
  );
}

const auth = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Input['auth']>('source') },
  { weight: 6, arbitrary: fc.constant<Input['auth']>('none') },
  { weight: 1, arbitrary: fc.constant<Input['auth']>('garbage') },
);

/** Forms with a file: mostly whole, with something wrong here and there. */
function formsOf(path: string): fc.Arbitrary<Input> {
  const part = fc
    .tuple(fc.constantFrom('file', 'file', 'file', 'other', ''), nastyText, fc.uint8Array({ maxLength: 200 }))
    .map(([field, name, bytes]) => [
      Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`),
      Buffer.from(bytes),
      Buffer.from('\r\n'),
    ]);
  const form = fc
    .tuple(
      fc.array(part, { minLength: 1, maxLength: 2 }),
      fc.constantFrom('--edge--\r\n', '--edge--\r\n', '', '--edge'),
    )
    .map(([parts, end]) => Buffer.concat([...parts.flat(), Buffer.from(end)]));
  const types = [
    'multipart/form-data; boundary=edge',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'text/plain',
  ];
  return fc.record({
    path: fc.constant(path),
    body: fc.oneof({ weight: 8, arbitrary: form }, { weight: 2, arbitrary: rawBody }),
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant(types[0]!) },
      { weight: 1, arbitrary: fc.constantFrom(...types) },
    ),
    auth,
  });
}

/**
 * Requests for every operation of an OpenAPI document.
 * @param known texts that exist in the hub (ids), so that inputs get past the first check
 */
export function inputsOf(document: OpenApi, known: string[]): fc.Arbitrary<Input> {
  const operations = Object.entries(document.paths).filter(([, item]) => item.post !== undefined);
  const perOperation = operations.map(([path, item]) => {
    const content = item.post?.requestBody?.content ?? {};
    if (content['multipart/form-data'] !== undefined) return formsOf(path);
    const schema = content['application/json']?.schema ?? {};
    const body = fc.oneof(
      { weight: 8, arbitrary: near(schema, document, known).map((value) => Buffer.from(JSON.stringify(value) ?? '')) },
      { weight: 2, arbitrary: rawBody },
    );
    return fc.record({
      path: fc.constant(path),
      body,
      contentType: fc.oneof(
        { weight: 20, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/xml') },
      ),
      auth,
    });
  });
  return fc.oneof(...perOperation);
}
