import type { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { FailureCode } from '#actors/errors.ts';
import type { Scope } from '#src/security/caller.ts';
import { meaningOf, statusOf } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { errorSchema } from '../schemas.ts';
import { headersOf } from './headers.ts';

/** Failures that every operation can have. */
const common: readonly FailureCode[] = [
  'invalid_request',
  'malformed_json',
  'unsupported_media_type',
  'body_too_large',
  'overloaded',
  'deadline_exceeded',
  'unavailable',
  'internal',
];
const ofScope: Record<Scope, readonly FailureCode[]> = {
  core: ['unauthorized', 'forbidden'],
  source: ['unauthorized', 'forbidden'],
  visitor: ['unauthorized', 'forbidden', 'channel_not_connected'],
  'visitor-or-system': ['unauthorized', 'forbidden', 'channel_not_connected'],
  public: [],
};

/** Of those that take an Idempotency-Key. */
const ofWrites: readonly FailureCode[] = ['invalid_idempotency_key', 'idempotency_conflict'];

/** What an operation may fail with. */
export const failuresOf = ({ auth, errors, isRead }: Operation): FailureCode[] => [
  ...new Set([...errors, ...ofScope[auth], ...common, ...(isRead ? [] : ofWrites)]),
];

const withoutBody: Record<number, string> = {
  202: 'Accepted: it is done after the answer.',
  204: 'Done. There is nothing to say about it.',
};

/** Every answer of an operation: those that it declares, and for each status the failures that it stands for. */
export function responsesOf(operation: Operation): ZodOpenApiResponsesObject {
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  for (const [status, schema] of Object.entries(operation.responses)) {
    responses[status] = success(operation, Number(status), schema);
  }
  const byStatus = Map.groupBy(failuresOf(operation), (code) => statusOf[code]);
  for (const [status, codes] of byStatus) responses[status] = failure(codes);
  return { ...responses, ...otherMethods } as ZodOpenApiResponsesObject;
}

function success({ answers, isRead }: Operation, status: number, schema: z.ZodType | null): ZodOpenApiResponseObject {
  const { description, headers = [] } = answers?.[status] ?? {};
  const words = schema === null ? withoutBody[status] : schemaWords(schema);
  return {
    description: description ?? words ?? 'Done.',
    headers: headersOf([...headers, ...(isRead ? [] : (['Idempotency-Replayed'] as const))]),
    ...(schema !== null && { content: { 'application/json': { schema } } }),
  };
}

function schemaWords(schema: z.ZodType): string {
  const { id, description } = schema.meta() ?? {};
  return description ?? (id === undefined ? 'The answer.' : `The ${id}.`);
}

/** What a path answers to methods that it does not take. */
export const otherMethods = { '405': { $ref: '#/components/responses/OtherMethods' } } as const;

/** A status that stands for these failures. */
export const failure = (codes: FailureCode[]): ZodOpenApiResponseObject => ({
  description: codes.map((code) => `- \`${code}\`: ${meaningOf[code]}`).join('\n'),
  headers: headersOf([], codes),
  content: { 'application/json': { schema: errorSchema } },
});
