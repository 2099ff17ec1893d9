import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import type { FailureCode } from '#actors/errors.ts';
import { type WebhookEventType, webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import type { Scope } from '#src/security/caller.ts';
import { version } from '#src/version.ts';
import { statusOf } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { errorSchema, eventSchema } from '../schemas.ts';

/** Failures that every operation can have. */
const common: readonly FailureCode[] = [
  'invalid_request',
  'malformed_json',
  'unsupported_media_type',
  'body_too_large',
  'invalid_idempotency_key',
  'idempotency_conflict',
  'overloaded',
  'deadline_exceeded',
  'unavailable',
  'internal',
];
const ofScope: Record<Scope, readonly FailureCode[]> = {
  core: ['unauthorized', 'forbidden'],
  source: ['unauthorized', 'forbidden'],
  public: [],
};
const security: Record<Scope, Record<string, string[]>[]> = {
  core: [{ systemToken: [] }, {}],
  source: [{ sourceToken: [] }],
  public: [{}],
};

/** What an operation may fail with. */
export const failuresOf = ({ auth, errors }: Operation): FailureCode[] => [
  ...new Set([...errors, ...ofScope[auth], ...common]),
];

function responsesOf(operation: Operation): ZodOpenApiOperationObject['responses'] {
  const responses: ZodOpenApiOperationObject['responses'] = {};
  for (const [status, schema] of Object.entries(operation.responses)) {
    const content = schema === null ? {} : { content: { 'application/json': { schema } } };
    responses[status as `${1 | 2 | 4 | 5}${string}`] = { description: `Status ${status}.`, ...content };
  }
  const byStatus = Map.groupBy(failuresOf(operation), (code) => statusOf[code]);
  for (const [status, codes] of byStatus) {
    responses[String(status) as `${1 | 2 | 4 | 5}${string}`] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: { 'application/json': { schema: errorSchema } },
    };
  }
  return responses;
}

const idempotencyKey = z.string().optional().describe('The same key and body within 24 h get the first answer.');

function pathItem(operation: Operation): { post: ZodOpenApiOperationObject } {
  const { path, summary, auth, request, example } = operation;
  const [resource = ''] = path.slice(1).split('.');
  return {
    post: {
      operationId: path.slice(1),
      tags: [resource],
      summary,
      security: security[auth],
      requestParams: {
        header: z.object({
          ...(operation.isRead ? {} : { 'Idempotency-Key': idempotencyKey }),
          'X-Request-Id': z.string().optional().describe('Comes back, and stands in the log.'),
        }),
      },
      requestBody: { content: { 'application/json': { schema: request, example } } },
      responses: responsesOf(operation),
    },
  };
}

function webhook(type: WebhookEventType): { post: ZodOpenApiOperationObject } {
  return {
    post: {
      operationId: `event.${type}`,
      tags: ['events'],
      summary: `The event ${type}.`,
      security: [{}],
      requestBody: { content: { 'application/json': { schema: eventSchema } } },
      responses: { '200': { description: 'Received.' } },
    },
  };
}

/** The OpenAPI 3.1 document of the operations. */
export function openApiDocument(operations: readonly Operation[]): object {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      description: 'A conversational messaging hub. Every operation is a POST with a JSON body.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ path }) => path.slice(1).split('.')[0]!)), 'events']
      .filter((tag, n, all) => all.indexOf(tag) === n)
      .map((name) => ({ name })),
    components: {
      securitySchemes: {
        systemToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'security.systemToken, where authentication is on.',
        },
        sourceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From sources.create.' },
      },
    },
    paths: Object.fromEntries(operations.map((operation) => [operation.path, pathItem(operation)])),
    webhooks: Object.fromEntries(webhookEventTypes.map((type) => [type, webhook(type)])),
  });
}
