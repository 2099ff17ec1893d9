import { Parser } from '@asyncapi/parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asyncApiDocument } from '#src/http/documents/asyncapi.ts';
import { failuresOf, openApiDocument } from '#src/http/documents/openapi.ts';
import { statusOf } from '#src/http/errors.ts';
import { operations } from '#src/http/operations.ts';
import { startApi, type TestApi } from '../_support/api.ts';

interface Document {
  paths: Record<
    string,
    { post: { responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }> } }
  >;
  webhooks: Record<string, unknown>;
}

const openApi = openApiDocument(operations) as unknown as Document;

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(openApi)));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('has every operation and webhook event', () => {
    expect(Object.keys(openApi.paths).sort()).toEqual(operations.map(({ path }) => path).sort());
    expect(Object.keys(openApi.webhooks)).toContain('message.created');
  });

  it('gives every failure its status and the schema of errors', () => {
    for (const operation of operations) {
      const { responses } = openApi.paths[operation.path]!.post;
      for (const code of failuresOf(operation)) {
        const schema = responses[String(statusOf[code])]?.content?.['application/json']?.schema;
        expect([operation.path, code, schema]).toEqual([operation.path, code, { $ref: '#/components/schemas/Error' }]);
      }
    }
  });
});

describe('the AsyncAPI document', () => {
  it('is valid', async () => {
    const problems = await new Parser().validate(JSON.stringify(asyncApiDocument()));
    expect(problems.filter(({ severity }) => severity === 0)).toEqual([]);
  });
});

describe('the page of the API', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());
  const get = (path: string) => fetch(api.url + path);

  it('refers to nothing outside of the hub', async () => {
    const page = await (await get('/docs')).text();
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) {
      expect(reference).toMatch(/^\//);
      expect([reference, (await get(reference)).status]).toEqual([reference, 200]);
    }
    expect(page).not.toMatch(/<script>|https?:\/\//);
  });

  it('may fetch and run only what the hub serves', async () => {
    const policy = (await get('/docs')).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|script-src/);
  });
});
