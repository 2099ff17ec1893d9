import { describe, expect, it } from 'vitest';
import { VisitorTokens } from '#src/security/visitor-token.ts';
import { refusalOf, startApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';
import { until } from '../_support/source-client.ts';
import { claimsIn, connectChannel, messagesOf, TestVisitor, visit } from '../_support/visitor.ts';

const system = { Authorization: systemToken };
const unknownId = '0192f3a4-5b6c-7d8e-9f01-000000000000';
const hour = 3_600_000;

describe('a resume token', () => {
  it('goes on with the conversation, an hour later', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    const { body: said } = await visitor.say('Hello');
    const resume_token = await visitor.resumeToken();
    expect(claimsIn(resume_token).exp * 1_000 - api.system.clock.now()).toBe(7 * 24 * hour);
    api.system.clock.set(hour);
    expect((await visitor.say('Too late')).status).toBe(401);
    const back = await TestVisitor.authenticated(api, { resume_token });
    expect([back.conversation, back.earlier]).toEqual([visitor.conversation, [said]]);
    expect((await back.say('Here again')).status).toBe(200);
  });

  it('is made on behalf of a visitor with the system token', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    await visitor.say('Hello');
    const { conversation_id, channel_id } = claimsIn(visitor.token);
    const made = await api.post<{ resume_token: string }>(
      '/chatplugin.resumeToken',
      { conversation_id, channel_id },
      system,
    );
    const back = await TestVisitor.authenticated(api, { resume_token: made.body.resume_token });
    expect(back.conversation).toBe(visitor.conversation);
    expect((await back.say('From another place')).body.sender).toEqual({ id: claimsIn(visitor.token).sub });
  });

  it('is made on behalf of nobody who is not there', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    await visitor.say('Hello');
    const source = await api.addSource('shop');
    const foreign = await source.push('ann', 'Hi');
    const { conversation_id, channel_id } = claimsIn(visitor.token);
    const other = await connectChannel(api, { name: 'other' });
    const bodies = [
      { channel_id, conversation_id: unknownId },
      { channel_id: other, conversation_id },
      { channel_id: source.channel, conversation_id: foreign },
    ];
    for (const body of bodies) {
      expect(refusalOf(await api.post('/chatplugin.resumeToken', body, system))).toEqual([404, 'not_found']);
    }
    expect(refusalOf(await api.post('/chatplugin.resumeToken', { channel_id }, system))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('is refused after seven days, and so are other tokens', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    const resume_token = await visitor.resumeToken();
    const foreign = testConfig();
    const { conversation_id: conversationId, channel_id: channelId, sub: contact } = claimsIn(visitor.token);
    const other = new VisitorTokens(
      { security: { ...foreign.security, jwtSecret: foreign.security.systemToken } },
      api.system.clock,
    );
    const forged = await other.make('resume', { conversationId, channelId, contact });
    const ask = async (token: string) => refusalOf(await api.post('/chatplugin.authenticate', { resume_token: token }));
    for (const token of [visitor.token, forged, systemToken, '', 'x.y.z', `${resume_token}x`]) {
      expect(await ask(token)).toEqual([401, 'unauthorized']);
    }
    api.system.clock.set(7 * 24 * hour);
    expect(await ask(resume_token)).toEqual([401, 'unauthorized']);
  });

  it('or a channel: one of the two', async () => {
    await using api = await startApi();
    const channel_id = await connectChannel(api);
    for (const body of [{}, { channel_id, resume_token: 'x' }]) {
      expect(refusalOf(await api.post('/chatplugin.authenticate', body))).toEqual([400, 'invalid_request']);
    }
    for (const channel of [unknownId, (await api.addSource('shop')).channel]) {
      const answer = await api.post('/chatplugin.authenticate', { channel_id: channel });
      expect([answer.status, answer.body.error.replace(channel, '<id>')]).toEqual([
        404,
        'There is no channel <id> for visitors.',
      ]);
    }
  });

  it('shows what an agent sent and nobody fetched, but no failures', async () => {
    await using api = await startApi();
    const visitor = await visit(api);
    await visitor.say('Hello');
    const { conversation_id, channel_id } = claimsIn(visitor.token);
    const send = (text: string) => api.post('/messages.send', { conversation_id, message: { text } });
    await send('One');
    await api.post('/channels.chatplugin.disconnect', { channel_id });
    api.dispatch();
    await until('One failed', async () => (await messagesOf(api, visitor))[1]?.state === 'failed');
    await connectChannel(api);
    await send('Two');
    const { body } = await api.post<{ resume_token: string }>(
      '/chatplugin.resumeToken',
      { conversation_id, channel_id },
      system,
    );
    const back = await TestVisitor.authenticated(api, { resume_token: body.resume_token });
    expect(back.earlier.map(({ content }) => content)).toEqual([{ text: 'Hello' }, { text: 'Two' }]);
  });
});
