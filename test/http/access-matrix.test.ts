import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '#src/http/operation.ts';
import { operations } from '#src/http/operations.ts';
import { sessionCookie } from '#src/security/cookies.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { configWith } from '../_support/oidc-provider.ts';
import { type Credential, credentialsOf, type Ids, marker, verdicts, type Whose, withIds } from './access-matrix.ts';

const whoses: readonly Whose[] = ['own', 'foreign', 'unknown'];
const unknownId = '0192f3a4-5b6c-7d8e-9f01-000000000000';

interface World extends AsyncDisposable {
  api: TestApi;
  credentials: Awaited<ReturnType<typeof credentialsOf>>;
  /** As source B sees them: its own, those of A, and none. */
  ids: Ids;
}

/** A hub with two sources; what A has bears the marker. */
async function world(authentication: boolean): Promise<World> {
  const api = await startApi({ config: configWith('https://id.example', {}, authentication) });
  // An import is carried out by it.
  api.dispatch();
  const system = { Authorization: api.config.security.systemToken.reveal() };
  const make = async (source: string, text: string) => {
    const { body } = await api.post<{ token: string }>('/sources.create', { source_id: source }, system);
    const authorization = { Authorization: `Bearer ${body.token}` };
    const line = { source_channel_id: `line-${source}`, name: text, metadata: { token: text, text } };
    const channel = (await api.post<{ id: string }>('/sources.channels.create', line, authorization)).body.id;
    const message = {
      ...{ source_message_id: `message-${source}`, source_conversation_id: `ann-${source}`, source_sender_id: text },
      ...{ source_channel_id: `line-${source}`, content: text, from_contact: true, sent_at: Date.UTC(2026, 0, 1) },
    };
    const pushed = await api.post<{ messages: [{ id: string; conversation_id: string }] }>(
      '/sources.webhook',
      { messages: [message] },
      authorization,
    );
    const [{ id, conversation_id: conversation }] = pushed.body.messages;
    return { authorization: authorization.Authorization, channel, message: id, conversation };
  };
  const [a, b] = [await make('a', marker), await make('b', 'b')];
  const chat = (await api.post<{ id: string }>('/channels.chatplugin.connect', { name: marker }, system)).body.id;
  const hook = { name: marker, url: 'http://127.0.0.1:9/' };
  const webhook = (await api.post<{ id: string }>('/webhooks.subscribe', hook, system)).body.id;
  const urgent = { name: marker, color: 'tag-red' };
  const tag = (await api.post<{ id: string }>('/tags.create', urgent, system)).body.id;
  const greeting = { name: marker, source: 'a', content: marker };
  const template = (await api.post<{ id: string }>('/templates.create', greeting, system)).body.id;
  const hubs = (own: string, foreign: string) => ({ own, foreign, unknown: unknownId });
  const sources = (name: string) => ({ own: `${name}-b`, foreign: `${name}-a`, unknown: `${name}-nowhere` });
  const ids: Ids = {
    channel_id: hubs(b.channel, a.channel),
    conversation_id: hubs(b.conversation, a.conversation),
    message_id: hubs(b.message, a.message),
    'messages.id': hubs(b.message, a.message),
    'conversations.id': hubs(b.conversation, a.conversation),
    'channels.id': hubs(b.channel, a.channel),
    'metadata.id': hubs(b.conversation, a.conversation),
    'webhooks.id': hubs(webhook, webhook),
    'contacts.id': hubs(unknownId, unknownId),
    'contacts.contact_id': hubs(unknownId, unknownId),
    'contacts.source_id': hubs(unknownId, unknownId),
    'contacts.destination_id': hubs(a.conversation, a.conversation),
    'tags.id': hubs(tag, tag),
    tag_id: hubs(tag, tag),
    'templates.id': hubs(template, template),
    'keys.id': hubs(unknownId, unknownId),
    'sessions.id': hubs(unknownId, unknownId),
    'audit.id': hubs(b.conversation, a.conversation),
    delivery_id: hubs(unknownId, unknownId),
    command_id: hubs(unknownId, unknownId),
    source_channel_id: sources('line'),
    source_conversation_id: sources('ann'),
    // Of an item of metadata: its conversation. Of what the core does to a source: the source.
    source_id: sources('ann'),
  };
  const credentials = await credentialsOf(api, a.authorization, b.authorization, chat);
  return { api, credentials, ids, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const headersOf = (credential: Credential): Record<string, string> =>
  credential === undefined
    ? {}
    : credential.startsWith(sessionCookie)
      ? { cookie: credential }
      : { Authorization: credential };

/** What an answer says, whichever id was asked for. */
function saidBy({ status, body }: { status: number; body: unknown }, request: unknown): string {
  const asked = JSON.stringify(request).matchAll(/"([^"]*(?:-[ab]|-nowhere|[0-9a-f]{12}))"/g);
  let text = JSON.stringify(body) ?? '';
  for (const [, id] of asked) text = text.replaceAll(id!, '<id>');
  // The hub's own ids of what a source names follow from these names.
  return `${status} ${text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')}`;
}

const pathsOf = ({ path, aliases = [] }: Operation): string[] => [path, ...aliases];

describe.each([
  ['open', false],
  ['closed', true],
] as const)('on a hub that is %s', (hub, authentication) => {
  let here: World;
  beforeAll(async () => {
    here = await world(authentication);
  });
  afterAll(() => here[Symbol.asyncDispose]());

  it.each(operations.map((operation) => [operation.path, operation] as const))(
    '%s refuses whom it says',
    async (_, operation) => {
      const { api, credentials, ids } = here;
      const before = api.sent.length;
      for (const [name, verdict] of Object.entries(verdicts[operation.auth][hub])) {
        if (verdict === 'in') continue;
        const answers = new Set<string>();
        for (const path of pathsOf(operation)) {
          for (const whose of whoses) {
            const body = withIds(operation.path, operation.example, ids, whose);
            const answer = await api.post(path, body, headersOf(credentials[name as keyof typeof credentials]));
            expect([name, path, answer.body.code]).toEqual([name, path, verdict]);
            answers.add(JSON.stringify(answer.body));
          }
        }
        // Nothing tells whether what was named is there.
        expect([...answers].join(), name).not.toContain(marker);
        expect(answers.size, name).toBe(1);
      }
      expect(api.sent.slice(before)).toEqual([]);
    },
  );

  it.each(operations.map((operation) => [operation.path, operation] as const))(
    '%s lets in whom it says',
    async (_, operation) => {
      const { api, credentials, ids } = here;
      for (const [name, verdict] of Object.entries(verdicts[operation.auth][hub])) {
        if (verdict !== 'in') continue;
        const body = withIds(operation.path, operation.example, ids, 'unknown');
        const { body: answer } = await api.post(
          operation.path,
          body,
          headersOf(credentials[name as keyof typeof credentials]),
        );
        // A source is refused what is not its own.
        const refused = operation.auth === 'source' ? ['unauthorized'] : ['unauthorized', 'forbidden'];
        expect(refused, `${name}: ${JSON.stringify(answer)}`).not.toContain(answer?.code);
      }
    },
  );

  it.each(operations.filter(({ auth }) => auth === 'source').map((operation) => [operation.path, operation] as const))(
    '%s shows nothing of another source',
    async (_, operation) => {
      // What the calls before have made would be told apart.
      await using fresh = await world(authentication);
      const { api, credentials, ids } = fresh;
      const said = [];
      for (const whose of ['foreign', 'unknown'] as const) {
        const body = withIds(operation.path, operation.example, ids, whose);
        const answer = await api.post(operation.path, body, headersOf(credentials['source B']));
        expect(JSON.stringify(answer.body)).not.toContain(marker);
        said.push(saidBy(answer, body));
      }
      expect(said[0]).toBe(said[1]);
    },
  );
});

describe('the matrix', () => {
  it('asks what an id names that it does not know', () => {
    expect(() => withIds('/robots.stop', { robot_id: 'x' }, {}, 'own')).toThrow('robots.robot_id');
    expect(() =>
      withIds('/robots.stop', { id: 'x' }, { 'messages.id': { own: '', foreign: '', unknown: '' } }, 'own'),
    ).toThrow('robots.id');
  });
});
