import { describe, expect, it } from 'vitest';
import { exampleIds } from '#src/http/examples.ts';
import type { OutgoingRequest } from '#src/outgoing/client.ts';
import { answering, refusalOf, startApi, type TestApi } from '../_support/api.ts';
import { until } from '../_support/source-client.ts';

const exact = '{"id":9007199254740993,"v":1.10,"zero":-0,"__proto__":{"x":1e2},"list":[12345678901234567890]}';

/** The answer as it was written. */
async function written(api: TestApi, path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(api.url + path, {
    ...{ method: 'POST', body },
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  expect(response.status).toBeLessThan(300);
  return response.text();
}

describe('JSON that callers give', () => {
  it('keeps its digits from the source to every reader', async () => {
    await using api = await startApi();
    const shop = await api.addSource('shop');
    const ann = await shop.push('ann', 'hello');
    const item = `"source_message_id":"m","source_conversation_id":"ann","source_channel_id":"line","source_sender_id":"ann"`;
    const pushed = `{"messages":[{${item},"content":${exact},"from_contact":true,"sent_at":1.7672256e12}]}`;
    await written(api, '/sources.webhook', pushed, shop.authorization);
    const about = `{"conversation_id":"${ann}"}`;
    expect(await written(api, '/messages.list', about)).toContain(`"content":${exact}`);
    expect(await written(api, '/conversations.info', about)).toContain(`"content":${exact}`);
    // Without a filter from this thread, with one from another.
    expect(await written(api, '/conversations.list', '{}')).toContain(`"content":${exact}`);
    expect(await written(api, '/conversations.list', '{"filters":"source:shop"}')).toContain(`"content":${exact}`);
    expect(await written(api, '/events.list', '{}')).toContain(`"content":${exact}`);
  });

  it('keeps its digits from an agent to the source', async () => {
    const calls: OutgoingRequest[] = [];
    await using api = await startApi();
    const client = answering(200, {});
    const send = (request: OutgoingRequest) => {
      calls.push(request);
      return client.send(request);
    };
    api.dispatch({ ...client, send });
    const shop = await api.addSource('shop');
    await api.post('/sources.update', { source_id: 'shop', action_endpoint: 'https://shop.example/a' });
    const ann = await shop.push('ann', 'hello');
    const sent = await written(api, '/messages.send', `{"conversation_id":"${ann}","message":${exact}}`);
    expect(sent).toContain(`"content":${exact}`);
    await until('the source is called', () => calls.length > 0);
    expect(String(calls[0]!.body)).toContain(`"content":${exact}`);
  });

  it('keeps its digits as metadata, merged with other', async () => {
    await using api = await startApi();
    const ann = await (await api.addSource('shop')).push('ann', 'hello');
    const upsert = (data: string) =>
      written(api, '/metadata.upsert', `{"subject":"conversation","id":"${ann}","data":${data}}`);
    await upsert('{"order":{"id":9007199254740993}}');
    await upsert('{"order":{"price":1.10}}');
    const shown = '"user_data":{"order":{"id":9007199254740993,"price":1.10}}';
    expect(await written(api, '/conversations.info', `{"conversation_id":"${ann}"}`)).toContain(shown);
    expect(await written(api, '/events.list', '{"types":["metadata.updated"]}')).toContain(shown);
  });

  it('counts in a field that takes a number', async () => {
    await using api = await startApi();
    const ann = await (await api.addSource('shop')).push('ann', 'one', 'two', 'three');
    const page = await written(api, '/messages.list', `{"conversation_id":"${ann}","page_size":2.0}`);
    expect(JSON.parse(page).data).toHaveLength(2);
    const refused = await api.post('/messages.list', `{"conversation_id":"${ann}","page_size":2.5}`);
    expect(refusalOf(refused)).toEqual([400, 'invalid_request']);
  });

  it('is refused with a number that nobody can read', async () => {
    await using api = await startApi();
    const ann = await (await api.addSource('shop')).push('ann', 'one');
    const body = `{"conversation_id":"${ann}","message":{"list":[1,{"x":1e400}],"y":-1${'0'.repeat(310)}}}`;
    const refused = await api.post('/messages.send', body);
    expect(refusalOf(refused)).toEqual([400, 'invalid_request']);
    expect(refused.body.details?.map(({ path }) => path)).toEqual(['message.list[1].x', 'message.y']);
  });

  it.each([
    ['a large exponent', '1e400'],
    ['many digits', `-1${'0'.repeat(310)}`],
    ['many digits and an exponent', `1${'0'.repeat(250)}e99`],
  ])('is refused with a number of %s', async (_, number) => {
    await using api = await startApi();
    const refused = await api.post(
      '/messages.send',
      `{"conversation_id":"${exampleIds.conversation}","message":{"x":${number}}}`,
    );
    expect(refused.body.details?.map(({ path }) => path)).toEqual(['message.x']);
  });
});
