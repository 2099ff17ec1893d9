import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import openapiTypescript, { type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '#src/http/documents/openapi.ts';
import { operations } from '#src/http/operations.ts';

/** A client over the generated types, as a user would write it. */
const client = `
import type { components, paths } from './api.ts';

type Path = { [P in keyof paths]: paths[P] extends { post: unknown } ? P : never }[keyof paths];
type Operation<P extends Path> = paths[P] extends { post: infer O } ? O : never;
type Json<T> = T extends { content: infer C }
  ? [C] extends [never] ? undefined : C extends { 'application/json': infer B } | { 'multipart/form-data': infer B } ? B : undefined
  : undefined;
type Sent<P extends Path> =
  Operation<P> extends { requestBody: infer R }
    ? [body: Json<R>]
    : Operation<P> extends { requestBody?: infer R }
      ? [body?: Json<NonNullable<R>>]
      : never;
type Success<P extends Path> = Operation<P> extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202 | 204)]> : never;
export type Event = components['schemas']['Event'];
export type Refusal = components['schemas']['Error'];

export declare function call<P extends Path>(path: P, ...sent: Sent<P>): Promise<Success<P>>;
`;

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-client-'));
  const document = JSON.parse(JSON.stringify(openApiDocument(operations, false))) as OpenAPI3;
  writeFileSync(join(folder, 'api.ts'), await openapiTypescript(document));
  writeFileSync(join(folder, 'client.ts'), client);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const settings = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'],
  ...['--target', 'esnext', '--module', 'preserve', '--lib', 'esnext'],
];

/** What the compiler says about a program that uses the client. */
function complaintsAbout(program: string): Promise<string> {
  const file = join(folder, 'program.ts');
  writeFileSync(file, `import { call, type Event, type Refusal } from './client.ts';\n${program}\nexport {};\n`);
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, ...settings, file], (_error, stdout) => resolve(stdout));
  });
}

describe('a client that is generated from the document', { timeout: 60_000 }, () => {
  it('takes the example of every operation', async () => {
    const calls = operations.map(({ path, example }) => `await call('${path}', ${JSON.stringify(example)});`);
    expect(await complaintsAbout(calls.join('\n'))).toBe('');
  });

  it('knows answers, events and failures by type', async () => {
    const program = `
      const { messages } = await call('/sources.webhook', { messages: null });
      const id: string = messages[0]!.conversation_id;
      const page = await call('/messages.list', { conversation_id: id, cursor: null });
      const next: string | null = page.pagination_data.next_cursor;
      const sent = await call('/messages.send', { conversation_id: id, message: { text: 'Hello' } });
      if (sent !== undefined) { const state: 'pending' | 'failed' | 'delivered' = sent.state; }
      const none: undefined = await call('/conversations.mark-read', { conversation_id: id });
      const { data }: { data: Event[] } = await call('/events.list');
      for (const event of data) {
        if (event.type === 'message.created') event.payload.message.sender.id.toUpperCase();
        if (event.type === 'metadata.updated') event.payload.identifier.toUpperCase();
        if (event.type === 'channel.updated') event.payload.connected === true;
        event.subject.id.toUpperCase();
      }
      const refused = (failure: Refusal): boolean => failure.code === 'not_found';`;
    expect(await complaintsAbout(program)).toBe('');
  });

  it('is held to what the document says', async () => {
    const wrong = [
      `await call('/messages.send');`,
      `await call('/messages.list', { conversation_id: 7 });`,
      `await call('/messages.nothing', {});`,
      `await call('/webhooks.update', { id: 'a', events: ['typing'] });`,
      `const state: 'sent' = (await call('/messages.resend', { message_id: 'a' })).state;`,
      `const [event] = (await call('/events.list')).data; event!.payload.message;`,
    ];
    const program = wrong.map((line) => `{\n// @ts-expect-error\n${line}\n}`);
    expect(await complaintsAbout(program.join('\n'))).toBe('');
  });
});
