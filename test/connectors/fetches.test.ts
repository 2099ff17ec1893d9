import { describe, expect, it } from 'vitest';
import { conversationId } from '#actors/ids.ts';
import type { Connector } from '#src/connectors/connector.ts';
import type { MediaLink, ProfileOutcome } from '#src/connectors/powers.ts';
import type { Downloads } from '#src/outgoing/downloads.ts';
import { answering, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';
import { lettersConnector, signatureOf } from './letters.ts';
import { box, letter } from './letters-specimen.ts';
import { Readable } from 'node:stream';

const conversation_id = conversationId(box, 'ann');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

/** A post office that knows its people, and what it was asked. */
interface Office {
  profile: ProfileOutcome;
  read: 'done' | 'unreachable';
  asked: string[];
  files: Record<string, Buffer | number>;
}

const office = (changes: Partial<Office> = {}): Office => ({
  profile: { kind: 'found', name: 'Ann Lee', avatarUrl: 'https://letters.example/ann.png' },
  read: 'done',
  asked: [],
  files: { 'https://letters.example/f/1': png },
  ...changes,
});

function connectorOf(post: Office): Connector {
  const note = (what: string): void => void post.asked.push(what);
  return {
    ...lettersConnector(),
    windows: {
      letters: {
        length: 60_000,
        takesLater: (content) => JSON.stringify(content).includes('stamp'),
        closed: 'Too late; send one with a stamp.',
      },
    },
    limits: { perConversation: { perSecond: 1, burst: 2 } },
    profiles: {
      async profileOf({ sourceConversationId, token }) {
        note(`who is ${sourceConversationId} ${token}`);
        return post.profile;
      },
    },
    readMarker: {
      async markRead({ sourceConversationId }, last) {
        note(`read ${sourceConversationId} ${last}`);
        return post.read;
      },
    },
    typing: { notify: async (_, typing) => note(`typing ${typing}`) },
    media: {
      locate(content): MediaLink[] {
        const { files } = content as { files?: string[] };
        return (files ?? []).map((at, n) => ({ name: String(n), at }));
      },
      open: async ({ at }, { token }) => (at === 'gone' ? null : { url: at, headers: { Authorization: `${token}` } }),
    },
  };
}

const downloadsOf = (post: Office): Downloads => ({
  async open({ url, headers }) {
    post.asked.push(`load ${url} ${headers['Authorization']}`);
    const found = post.files[url];
    if (typeof found === 'number') return { kind: 'failed', error: `status ${found}`, isPassing: found >= 500 };
    return found
      ? { kind: 'open', content: Readable.from([found]) }
      : { kind: 'failed', error: 'no', isPassing: false };
  },
  close: async () => {},
});

async function start(post: Office): Promise<TestApi> {
  const api = await startApi({ connectors: [() => connectorOf(post)] });
  api.dispatch(answering(200, { number: 'n' }), { downloads: downloadsOf(post) });
  const channel = { source: 'letters', sourceChannelId: 'box-1', name: 'Box', token: 'key' };
  await api.commands.send('channel', box, 'channel.connect', channel);
  return api;
}

async function put(api: TestApi, more: object = {}): Promise<void> {
  const body = JSON.stringify({ post: [{ ...letter, at: api.system.clock.now(), ...more }] });
  expect((await api.post('/letters', body, { 'X-Letters-Signature': signatureOf(body) })).status).toBe(200);
}

const metadataOf = async (api: TestApi): Promise<Record<string, unknown>> =>
  (await api.post<{ metadata: Record<string, unknown> }>('/conversations.info', { conversation_id })).body.metadata;
const outboxOf = (api: TestApi): number => api.reader.outbox.after(0, -1, 10).length;

describe('the profile of a contact', () => {
  it('is fetched once, when the conversation appears', async () => {
    const post = office();
    await using api = await start(post);
    await put(api);
    await until('named', async () => JSON.stringify(await metadataOf(api)).includes('Ann Lee'));
    await put(api, { id: 'l-2' });
    await until('idle', () => outboxOf(api) === 0);
    expect(await metadataOf(api)).toMatchObject({
      contact: { display_name: 'Ann Lee', displayName: 'Ann Lee', avatar_url: 'https://letters.example/ann.png' },
    });
    expect(post.asked).toEqual(['who is ann key']);
  });

  it('is fetched again when somebody asks', async () => {
    const post = office();
    await using api = await start(post);
    await put(api);
    await until('named', async () => JSON.stringify(await metadataOf(api)).includes('Ann Lee'));
    post.profile = { kind: 'found', name: 'Ann Bee', avatarUrl: null };
    expect((await api.post('/conversations.refetch', { conversation_id })).status).toBe(202);
    await until('renamed', async () => JSON.stringify(await metadataOf(api)).includes('Ann Bee'));
    const unknown = await api.post('/conversations.refetch', { conversation_id: box });
    expect(unknown.status).toBe(404);
  });

  it('is waited for while the platform is away, and then given up', async () => {
    const post = office({ profile: { kind: 'unreachable', error: 'closed' } });
    await using api = await start(post);
    await put(api);
    await until('asked', () => post.asked.length > 0);
    await until('given up', () => {
      api.system.clock.advance(15_000);
      return outboxOf(api) === 0;
    });
    expect(api.lines.some(({ event }) => event === 'fetch.given_up')).toBe(true);
    expect(post.asked.length).toBeGreaterThan(2);
  });
});

describe('what the contact sees', () => {
  it('is that their messages were read, once', async () => {
    const post = office({ profile: { kind: 'unknown', error: '' } });
    await using api = await start(post);
    await put(api);
    await put(api, { id: 'l-2', at: api.system.clock.now() + 1 });
    for (let n = 0; n < 2; n++) await api.post('/conversations.mark-read', { conversation_id });
    await until('idle', () => outboxOf(api) === 0);
    expect(post.asked.filter((line) => line.startsWith('read'))).toEqual(['read ann l-2']);
  });

  it('is that somebody types', async () => {
    const post = office();
    await using api = await start(post);
    await put(api);
    await api.post('/conversations.typing', { conversation_id });
    await api.post('/conversations.typing', { conversation_id, typing: false });
    expect(post.asked.filter((line) => line.startsWith('typing'))).toEqual(['typing true', 'typing false']);
  });
});

describe('sends', () => {
  const send = async (api: TestApi, message: object): Promise<string> =>
    (await api.post<{ id: string }>('/messages.send', { conversation_id, message })).body.id;
  const shown = async (api: TestApi, message_id: string) =>
    (await api.post<{ state: string; metadata: { error?: string } }>('/messages.info', { message_id })).body;
  const settled = (api: TestApi, id: string) =>
    until('settled', async () => (await shown(api, id)).state !== 'pending');

  it('behind the window are refused, but for those it takes', async () => {
    await using api = await start(office());
    await put(api);
    const open = new Date(api.system.clock.now() + 60_000).toISOString();
    expect(await metadataOf(api)).toMatchObject({ window: { open_until: open } });
    api.system.clock.advance(60_001);
    const [late, stamped] = [await send(api, { text: 'late' }), await send(api, { text: 'stamp' })];
    await settled(api, late);
    await settled(api, stamped);
    expect(await shown(api, late)).toMatchObject({
      state: 'failed',
      metadata: { error: 'Too late; send one with a stamp.' },
    });
    expect(await shown(api, stamped)).toMatchObject({ state: 'delivered' });
    await put(api, { id: 'l-2', at: api.system.clock.now() });
    const again = await send(api, { text: 'in time' });
    await settled(api, again);
    expect(await shown(api, again)).toMatchObject({ state: 'delivered' });
  });

  it('that are more than the platform takes wait in the hub', async () => {
    await using api = await start(office());
    await put(api);
    const ids = [await send(api, { n: 1 }), await send(api, { n: 2 }), await send(api, { n: 3 })];
    await settled(api, ids[1]!);
    expect((await shown(api, ids[2]!)).state).toBe('pending');
    await until('delivered', async () => {
      api.system.clock.advance(100);
      return (await shown(api, ids[2]!)).state === 'delivered';
    });
    const lines = api.lines.filter(({ event }) => event === 'delivery.attempted');
    expect(lines.map(({ fields }) => fields['attempt'])).toEqual([1, 1, 1]);
  });
});

describe('files of messages', () => {
  const install = (api: TestApi) => api.post('/components.install', { name: 'media-resolver' });
  const mediaOf = async (api: TestApi): Promise<unknown> => {
    const { body } = await api.post<{ data: { metadata: { media?: unknown } }[] }>('/messages.list', {
      conversation_id,
    });
    return body.data[0]!.metadata.media;
  };
  const files = (...links: string[]) => ({ text: { files: links } });

  it('are copied, and served by the hub', async () => {
    const post = office();
    await using api = await start(post);
    await install(api);
    await put(api, files('https://letters.example/f/1'));
    await until('copied', async () => (await mediaOf(api)) !== undefined);
    const media = (await mediaOf(api)) as { 0: { media_url: string } };
    expect(media).toEqual({ 0: { media_url: expect.any(String), type: 'image/png', bytes: png.length } });
    const served = await fetch(api.url + media[0].media_url);
    expect(Buffer.from(await served.arrayBuffer()).equals(png)).toBe(true);
    expect(post.asked).toContain('load https://letters.example/f/1 key');
  });

  it('say why where there is no copy', async () => {
    const post = office({ files: { 'https://letters.example/f/2': 403 } });
    await using api = await start(post);
    await install(api);
    await put(api, files('https://letters.example/f/2', 'gone'));
    await until('said', async () => (await mediaOf(api)) !== undefined);
    expect(await mediaOf(api)).toEqual({
      0: { error: 'The file was not copied: status 403.' },
      1: { error: 'The platform has no such file any more.' },
    });
  });

  it('are tried again while they can not be loaded', async () => {
    const post = office({ files: { 'https://letters.example/f/3': 503 } });
    await using api = await start(post);
    await install(api);
    await put(api, files('https://letters.example/f/3'));
    await until('tried', () => post.asked.some((line) => line.startsWith('load')));
    post.files = { 'https://letters.example/f/3': png };
    await until('copied', async () => {
      api.system.clock.advance(15_000);
      return (await mediaOf(api)) !== undefined;
    });
    expect(await mediaOf(api)).toMatchObject({ 0: { type: 'image/png' } });
  });

  it('stay where they are without the component', async () => {
    const post = office();
    await using api = await start(post);
    await put(api, files('https://letters.example/f/1'));
    await until('idle', () => outboxOf(api) === 0);
    expect(await mediaOf(api)).toBeUndefined();
  });
});
