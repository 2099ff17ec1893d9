import { expect, test, vi } from 'vitest';
import { breakPages } from '../_support/broken-pages.ts';
import { testConfig } from '../_support/config.ts';
import { answering, refusalOf, startApi, type TestApi } from '../_support/api.ts';

interface Readiness {
  status: string;
  problems?: { part: string; problem: string }[];
}

const ready = async ({ url }: TestApi): Promise<Readiness> =>
  (await (await fetch(`${url}/health/ready`)).json()) as Readiness;

const healthLines = ({ lines }: TestApi) =>
  lines.map(({ event }) => event).filter((event) => event.startsWith('problem.'));

test('a broken page is unavailable, unready, and over when mended', async () => {
  await using api = await startApi();
  const source = await api.addSource('acme');
  const conversation = await source.push('ann', 'hi');
  const list = () => api.post('/messages.list', { conversation_id: conversation });
  expect((await list()).status).toBe(200);
  const mend = breakPages(api.system.file, 'message', 'message_order');
  for (let i = 0; i < 3; i++) {
    const refused = await list();
    expect(refusalOf(refused)).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
  }
  expect(await ready(api)).toEqual({
    status: 'unavailable',
    problems: [{ part: 'reader', problem: expect.stringContaining('malformed') }],
  });
  mend();
  expect((await list()).status).toBe(200);
  api.system.clock.advance(10_000);
  expect(await ready(api)).toEqual({ status: 'ok' });
  expect(healthLines(api)).toEqual(['problem.began', 'problem.ended']);
});

test('a broken outbox ends nothing, and its send goes out later', async () => {
  await using api = await startApi({ client: answering(200, {}) });
  const source = await api.addSource('acme');
  const endpoint = { source_id: 'acme', action_endpoint: 'https://acme.example/actions' };
  await api.post('/sources.update', endpoint, { Authorization: api.config.security.systemToken.reveal() });
  const conversation = await source.push('ann', 'hi');
  const { body: sent } = await api.post<{ id: string }>('/messages.send', {
    conversation_id: conversation,
    message: { text: 'hello' },
  });
  const mend = breakPages(api.system.file, 'outbox');
  api.dispatch(answering(200, {}));
  api.system.clock.advance(3_000);
  expect((await ready(api)).problems?.map(({ part }) => part)).toEqual(['reader']);
  mend();
  const state = () => api.reader.messages.find(sent.id)?.message.state;
  await vi.waitFor(() => {
    api.system.clock.advance(1_000);
    expect(state()).toBe('delivered');
  });
  api.system.clock.advance(10_000);
  expect(await ready(api)).toEqual({ status: 'ok' });
  expect(api.lines.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual(['problem.began']);
});

test('a broken journal is noticed when nobody reads it', async () => {
  await using api = await startApi();
  await (await api.addSource('acme')).push('ann', 'hi');
  const mend = breakPages(api.system.file, 'journal');
  api.system.clock.advance(2_000);
  expect((await ready(api)).problems?.map(({ part }) => part)).toEqual(['reader']);
  mend();
  api.system.clock.advance(10_000);
  expect(await ready(api)).toEqual({ status: 'ok' });
});

test('webhooks go on when the journal can be read again', async () => {
  const config = testConfig();
  // The writer keeps a broken page that it has read: it must have nothing to do meanwhile.
  config.integration.contacts.enabled = false;
  await using api = await startApi({ config, client: answering(200, {}) });
  const { body: webhook } = await api.post<{ id: string }>('/webhooks.subscribe', {
    url: 'https://crm.example/events',
  });
  const source = await api.addSource('acme');
  await source.push('ann', 'hi');
  const mend = breakPages(api.system.file, 'journal');
  api.dispatch(answering(200, {}));
  const metrics = await fetch(api.metricsUrl);
  expect(await metrics.text()).toContain('parley_webhook_queue_depth Nan');
  for (let seconds = 0; seconds < 5; seconds++) {
    api.system.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(api.lines.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual(['problem.began']);
  mend();
  await vi.waitFor(() => {
    api.system.clock.advance(1_000);
    expect(api.reader.webhooks.queueDepth()).toEqual([{ subscription: webhook.id, scheduled: 0, behind: 0 }]);
  });
});
