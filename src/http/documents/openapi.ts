import { mediaPath } from '#actors/media-address.ts';
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { type WebhookEventType, webhookEventTypes } from '#actors/webhook-subscription/contract.ts';
import type { Scope } from '#src/security/caller.ts';
import { sessionCookie } from '#src/security/cookies.ts';
import type { KeyAccess } from '#src/security/permission.ts';
import { version } from '#src/version.ts';
import { eventSchemaName } from '../events/schemas.ts';
import { switchOf } from '#src/features.ts';
import type { Operation } from '../operation.ts';
import { failure, otherMethods, responsesOf } from './answers.ts';
import { answerHeaders, deliveryHeaders, headersOf, requestHeaders } from './headers.ts';
import { forClients } from './schemas.ts';
import { conventions, tags } from './words.ts';

type Security = NonNullable<ZodOpenApiOperationObject['security']>;

const securityOf = ({ auth, keys }: Operation, authentication: boolean): Security => {
  const open: Record<Scope, Security> = {
    core: [
      { systemToken: [] },
      ...(keys === 'none' ? [] : [{ apiKey: [] }]),
      { session: [] },
      ...(authentication ? [] : [{}]),
    ],
    source: [{ sourceToken: [] }],
    visitor: [{ visitorToken: [] }],
    'visitor-or-system': [{ visitorToken: [] }, { systemToken: [] }],
    public: [{}],
  };
  return open[auth];
};

const callers: Record<Scope, string> = {
  core: 'For agents, whom a token or a login names.',
  source: 'For the source that the token names.',
  visitor: 'For the visitor whom the token names.',
  'visitor-or-system': 'For the visitor whom the token names, or with the system token on a visitor’s behalf.',
  public: 'For everyone.',
};

const keysMay: Record<KeyAccess, string | null> = {
  bound: null,
  unbound: 'Not for API keys that are bound to sources.',
  none: 'Not for API keys.',
};

/** What the summary leaves out: who may call, what must be switched on, where it answers too. */
function descriptionOf({ auth, keys = 'unbound', feature, aliases = [] }: Operation): string {
  const condition = feature === undefined ? [] : [`Needs \`${switchOf(feature).key}\`.`];
  const others = aliases.map((alias) => `Answers at \`${alias}\` too.`);
  const apiKeys = auth === 'core' && keysMay[keys] !== null ? [keysMay[keys]] : [];
  return [callers[auth], ...apiKeys, ...condition, ...others].join(' ');
}

function operationObject(operation: Operation, authentication: boolean): ZodOpenApiOperationObject {
  const { path, summary, request, example, takesFile } = operation;
  const [resource = ''] = path.slice(1).split('.');
  return {
    operationId: path.slice(1),
    tags: [resource],
    summary,
    description: descriptionOf(operation),
    security: securityOf(operation, authentication),
    requestParams: { header: requestHeaders(operation.isRead) },
    requestBody: {
      // An empty body is `{}`.
      required: !request.safeParse({}).success,
      content: { [takesFile ? 'multipart/form-data' : 'application/json']: { schema: request, example } },
    },
    responses: responsesOf(operation),
  };
}

function webhook(type: WebhookEventType): ZodOpenApiOperationObject {
  const schema = { $ref: `#/components/schemas/${eventSchemaName(type)}` };
  return {
    operationId: `event.${type}`,
    tags: ['webhooks'],
    summary: `The hub tells a receiver of ${type}.`,
    security: [{}],
    requestParams: { header: deliveryHeaders },
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'Received. Within 15 s, also before the work is done.' },
      '410': { description: 'Nothing more is wanted: the subscription is unsubscribed.' },
      '4XX': { description: 'Tried again later; with 429 or 503 and Retry-After then.' },
    },
  };
}

const health = (verb: string, summary: string, responses: ZodOpenApiOperationObject['responses']) => ({
  get: {
    ...{ operationId: `health.${verb}`, tags: ['health'], summary, security: [{}] },
    responses: { ...responses, ...otherMethods },
  },
});

const well = {
  description: 'It does.',
  headers: headersOf([]),
  content: { 'application/json': { schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }) } },
};

const unwell = z
  .object({
    status: z.literal('unavailable'),
    problems: z
      .array(z.object({ part: z.string(), problem: z.string() }))
      .optional()
      .describe('For who asks under a name that is the hub’s own.'),
  })
  .meta({ id: 'HealthProblems' });

const mediaPaths: ZodOpenApiPathsObject = {
  [`${mediaPath}/{file}`]: {
    get: {
      ...{ operationId: 'media.file', tags: ['media'], summary: 'A file, or a range of its bytes.', security: [{}] },
      requestParams: {
        path: z.object({ file: z.string().describe('SHA-256 of the content and an ending, as `media_url` has it.') }),
      },
      responses: {
        '200': { description: 'All of it.', headers: headersOf([]), content: { '*/*': {} } },
        '206': { description: 'The range that was asked for.', headers: headersOf([]), content: { '*/*': {} } },
        '304': { description: 'It is as `If-None-Match` says.', headers: headersOf([]) },
        '404': failure(['not_found']),
        '416': { description: 'It has no such range.', headers: headersOf([]) },
        ...otherMethods,
      },
    },
  },
};

const healthPaths: ZodOpenApiPathsObject = {
  '/health/live': health('live', 'Whether the process answers.', { '200': well }),
  '/health/ready': health('ready', 'Whether the hub can do its work.', {
    '200': well,
    '503': {
      description: 'It can not.',
      headers: headersOf([]),
      content: { 'application/json': { schema: unwell } },
    },
  }),
};

/** The part of the document that says where the hub is. */
export const openApiServers = (url: string) => ({ servers: [{ url }] });

/**
 * The OpenAPI 3.1 document of the operations, the health and the webhooks, but for its servers.
 * @param authentication whether the core API asks for a credential
 */
export function openApiDocument(operations: readonly Operation[], authentication: boolean): object {
  const paths = operations.map((operation) => [operation.path, { post: operationObject(operation, authentication) }]);
  const used = new Set([...operations.map(({ path }) => path.slice(1).split('.')[0]!), 'webhooks', 'health', 'media']);
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version,
        summary: 'A conversational messaging hub.',
        description: conventions,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...used].sort().map((name) => ({ name, description: tags[name] ?? '' })),
      components: {
        headers: answerHeaders,
        responses: { OtherMethods: failure(['method_not_allowed']) },
        securitySchemes: {
          systemToken: {
            type: 'http',
            scheme: 'bearer',
            description: `security.systemToken of the configuration${authentication ? '' : ', which this hub does not ask for'}.`,
          },
          apiKey: { type: 'http', scheme: 'bearer', description: 'From keys.create.' },
          session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'From /login, with a browser.' },
          visitorToken: {
            ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            description: 'From the operation by which a visitor authenticates.',
          },
          sourceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From sources.create.' },
        },
      },
      paths: { ...Object.fromEntries(paths), ...mediaPaths, ...healthPaths },
      webhooks: Object.fromEntries(webhookEventTypes.map((type) => [type, { post: webhook(type) }])),
    },
    { override: forClients },
  );
}
