import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '#actors/representation.ts';
import { webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import { failuresOf } from '#src/http/documents/answers.ts';
import { statusOf } from '#src/http/errors.ts';
import { operations } from '#src/http/operations.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';

interface Schema {
  minProperties?: number;
  minItems?: number;
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface DocumentedAnswer {
  $ref?: string;
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: Schema }>;
}

interface Documented {
  description?: string;
  security: object[];
  requestBody: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, DocumentedAnswer>;
}

interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, { post?: Documented; get?: Documented }>;
  webhooks: Record<string, { post: Documented }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, object> };
}

let api: TestApi;
let openApi: OpenApi;
let asyncApi: { servers: Record<string, { host: string; pathname: string; protocol: string }> };

const read = async <T>(path: string, from = api): Promise<T> => (await fetch(from.url + path)).json() as Promise<T>;

beforeAll(async () => {
  api = await startApi();
  openApi = await read('/openapi.json');
  asyncApi = await read('/asyncapi.json');
});
afterAll(() => api[Symbol.asyncDispose]());

/** What a linter that others use finds, by its strictest set of rules that is meant for all. */
async function findingsIn(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/document.json', config });
  return found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

describe('the OpenAPI document', () => {
  it('is valid, and a linter finds nothing', async () => {
    const { valid, errors } = await new Validator().validate({ ...openApi });
    expect([valid, errors]).toEqual([true, undefined]);
    expect(await findingsIn(openApi)).toEqual([]);
  });

  it('is linted: a mistake is found', async () => {
    const { '/client.config': config } = openApi.paths;
    expect(await findingsIn({ ...openApi, paths: { '/client.config': config, '/client.{x}': config } })).not.toEqual(
      [],
    );
  });

  it('has every operation, health and webhook event', () => {
    const paths = Object.entries(openApi.paths);
    const posts = paths.filter(([, item]) => item.post).map(([path]) => path);
    expect(posts.sort()).toEqual(operations.map(({ path }) => path).sort());
    expect(paths.filter(([, item]) => item.get).map(([path]) => path)).toEqual([
      '/media/{file}',
      '/health/live',
      '/health/ready',
    ]);
    expect(Object.keys(openApi.webhooks)).toEqual([...webhookEventTypes]);
  });

  it('names every alias', () => {
    for (const { path, aliases = [] } of operations) {
      for (const alias of aliases) expect(openApi.paths[path]!.post!.description).toContain(`\`${alias}\``);
    }
  });

  it('gives every failure its status, its meaning and the schema', () => {
    for (const operation of operations) {
      const { responses } = openApi.paths[operation.path]!.post!;
      for (const code of failuresOf(operation)) {
        const { content, description } = responses[String(statusOf[code])]!;
        const schema = content?.['application/json']?.schema;
        expect([operation.path, code, schema]).toEqual([operation.path, code, { $ref: '#/components/schemas/Error' }]);
        expect(description).toMatch(new RegExp(`^- \`${code}\`: .{10,}`, 'm'));
      }
    }
  });

  it('names the headers of answers', () => {
    const { responses } = openApi.paths['/messages.send']!.post!;
    const headersAt = (status: string): string[] => Object.keys(responses[status]!.headers ?? {});
    expect(headersAt('200')).toEqual(['X-Request-Id', 'X-Api-Version', 'Idempotency-Replayed']);
    expect(headersAt('202')).toContain('X-Message-Id');
    expect(headersAt('401')).toContain('WWW-Authenticate');
    expect(headersAt('503')).toContain('Retry-After');
    expect(responses['405']).toEqual({ $ref: '#/components/responses/OtherMethods' });
  });

  it('offers an idempotency key where something is done', () => {
    for (const { path, isRead = false } of operations) {
      const text = JSON.stringify(openApi.paths[path]!.post);
      for (const part of ['"Idempotency-Key"', '"Idempotency-Replayed"', '`idempotency_conflict`']) {
        expect([path, part, text.includes(part)]).toEqual([path, part, !isRead]);
      }
    }
  });

  it('asks for a body where a field is needed', () => {
    for (const { path } of operations) {
      const { required, content } = openApi.paths[path]!.post!.requestBody;
      const { required: fields = [], minProperties, minItems, anyOf } = Object.values(content)[0]!.schema;
      const needed = fields.length > 0 || (minProperties ?? minItems) !== undefined || anyOf !== undefined;
      expect([path, required]).toEqual([path, needed]);
    }
  });

  it('lets each optional field of a request be null', () => {
    for (const { path } of operations) {
      const { properties = {}, required = [] } = Object.values(openApi.paths[path]!.post!.requestBody.content)[0]!
        .schema;
      for (const [name, { type, anyOf, oneOf }] of Object.entries(properties)) {
        const types = [type ?? (anyOf ?? oneOf ?? []).map((each) => each.type)].flat();
        expect([path, name, types.includes('null')]).toEqual([path, name, !required.includes(name)]);
      }
    }
  });

  it('leaves room in answers for new fields', () => {
    const answers = operations.map(({ path }) => openApi.paths[path]!.post!.responses);
    expect(JSON.stringify([answers, openApi.components])).not.toContain('"additionalProperties":false');
  });

  it('has each schema once', () => {
    expect(Object.keys(openApi.components.schemas).filter((name) => /Output$|^__/.test(name))).toEqual([]);
  });

  it('has the payload of each type of event', () => {
    const { oneOf = [] } = openApi.components.schemas['Event']!;
    expect(oneOf).toHaveLength(eventTypes.length);
    for (const type of webhookEventTypes) {
      expect(oneOf).toContainEqual(openApi.webhooks[type]!.post.requestBody.content['application/json']!.schema);
    }
    expect(openApi.components.schemas['MessageCreated']!.properties!['payload']).toEqual({
      $ref: '#/components/schemas/MessagePayload',
    });
  });

  it('asks for a credential only where the hub does', async () => {
    await using closed = await startApi({ config: testConfig({ authentication: true }) });
    const securityIn = ({ paths }: OpenApi) => paths['/client.config']!.post!.security;
    expect(securityIn(openApi)).toEqual([{ systemToken: [] }, { apiKey: [] }, { session: [] }, {}]);
    expect(securityIn(await read('/openapi.json', closed))).toEqual([
      { systemToken: [] },
      { apiKey: [] },
      { session: [] },
    ]);
  });
});

describe('the AsyncAPI document', () => {
  it('is valid, and a linter finds nothing', async () => {
    const problems = await new Parser().validate(JSON.stringify(asyncApi));
    expect(problems.filter(({ severity }) => severity === 0)).toEqual([]);
    expect(await findingsIn(asyncApi)).toEqual([]);
  });
});

describe('both documents', () => {
  it('name the address under which they were read', () => {
    const { host } = new URL(api.url);
    expect(openApi.servers).toEqual([{ url: api.url }]);
    expect(asyncApi.servers['hub']).toMatchObject({ host, pathname: '/ws.communication', protocol: 'ws' });
  });

  it('name few addresses, however many are asked for', async () => {
    const port = Number(new URL(api.url).port);
    const namedTo = async (host: string): Promise<string> => {
      const [response] = await once(get({ port, path: '/openapi.json', headers: { host } }), 'response');
      return (JSON.parse(await text(response)) as OpenApi).servers[0]!.url;
    };
    for (let n = 1; n <= 20; n++) await namedTo(`127.0.0.1:${n}`);
    expect(await namedTo('127.0.0.1:2')).toBe('http://127.0.0.1:2');
    expect(await namedTo('127.0.0.1:99')).toBe(`http://localhost:${port}`);
  });

  it('name the public address where there is one', async () => {
    const config = testConfig();
    config.server.publicUrl = 'https://hub.example/parley/';
    await using behind = await startApi({ config });
    const { servers } = await read<OpenApi>('/openapi.json', behind);
    expect(servers).toEqual([{ url: 'https://hub.example/parley' }]);
    const { hub } = (await read<typeof asyncApi>('/asyncapi.json', behind)).servers;
    expect(hub).toMatchObject({ host: 'hub.example', pathname: '/parley/ws.communication', protocol: 'wss' });
  });

  it('have the same schemas of events', async () => {
    const { components } = await read<OpenApi>('/asyncapi.json');
    const { Event: _, DeliveryHeaders: __, ...schemas } = components.schemas;
    expect(Object.keys(schemas)).toContain('MetadataUpdated');
    expect(openApi.components.schemas).toMatchObject(schemas);
  });
});

describe('the page of the API', () => {
  const fetched = (path: string) => fetch(api.url + path);

  it('refers to nothing outside of the hub', async () => {
    const page = await (await fetched('/docs')).text();
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) {
      expect(reference).toMatch(/^\//);
      expect([reference, (await fetched(reference)).status]).toEqual([reference, 200]);
    }
    expect(page).not.toMatch(/<script>|https?:\/\//);
  });

  it('may fetch and run only what the hub serves', async () => {
    const policy = (await fetched('/docs')).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|script-src/);
  });
});
