import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../_support/browser.ts';
import { ChatStage } from './chat-stage.ts';

describe.skipIf(!hasBrowser)('the chat of a page', { timeout: 60_000 }, () => {
  let stage: ChatStage;
  beforeAll(async () => {
    stage = await ChatStage.open();
  }, 60_000);
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
  });

  it('carries what both sides write, live', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('Is the lamp back?');
    await tab.sees('Is the lamp back?');
    const [message_id] = await stage.agentSays({ text: 'Since **this morning**.' });
    await tab.sees('Since this morning.');
    expect(await tab.part('.prose strong').textContent()).toBe('this morning');
    expect(await stage.kept()).toEqual(['visitor: Is the lamp back?', 'agent: Since **this morning**.']);
    const message = await stage.hub.post<{ state: string }>('/messages.info', { message_id });
    expect(message.body.state).toBe('delivered');
    expect(visitor.errors).toEqual([]);
  });

  it('goes on after the page is loaded again', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('Remember me');
    await tab.sees('Remember me');
    await tab.page.reload();
    await stage.agentSays({ text: 'Of course' });
    await tab.part('.dot').waitFor();
    await tab.open();
    await tab.sees('Of course');
    expect(await tab.texts()).toEqual(['Remember me', 'Of course']);
    await tab.page.reload();
    await tab.part('.launcher').waitFor();
    await tab.open();
    await tab.sees('Of course');
    await tab.part('[aria-label="Close chat"]').first().click();
    expect(await tab.part('.dot').count()).toBe(0);
  });

  it('is the same in two tabs', async () => {
    await using visitor = await stage.visitor();
    const [first, second] = [await (await visitor.visit()).open(), await (await visitor.visit()).open()];
    await first.write('From the first');
    await second.sees('From the first');
    await second.write('From the second');
    await first.sees('From the second');
    await stage.agentSays({ text: 'To both' });
    await Promise.all([first.sees('To both'), second.sees('To both')]);
    expect(await first.texts()).toEqual(await second.texts());
    expect(await stage.kept()).toEqual(['visitor: From the first', 'visitor: From the second', 'agent: To both']);
    await first.part('[aria-label="End chat"]').click();
    await first.part('.danger').click();
    await second.part('.primary').waitFor();
    await second.part('.primary').click();
    await second.write('Something new');
    await first.sees('Something new');
    expect(await stage.kept()).toEqual(['visitor: Something new']);
  });

  it('shows each side that the other types', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('Anybody there?');
    await tab.sees('Anybody there?');
    await stage.agentTypes(true);
    await tab.part('.typing').waitFor();
    await stage.agentSays({ text: 'Yes' });
    await tab.part('.typing').waitFor({ state: 'detached' });
    await tab.part('textarea').pressSequentially('I wanted');
    const conversation_id = await stage.conversation();
    await expect
      .poll(async () => {
        const { body } = await stage.hub.post<{ metadata: object }>('/conversations.info', { conversation_id });
        return body.metadata;
      })
      .toMatchObject({ isUserTyping: true });
  });

  it('sends what the visitor chooses', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('A lamp, please');
    await tab.sees('A lamp, please');
    await stage.agentSays({
      text: 'Which one?',
      quick_replies: [{ content_type: 'text', title: 'The small one', payload: 'SMALL' }],
    });
    await tab.part('.chips button').click();
    await tab.sees('The small one');
    expect(await tab.part('.chips').count()).toBe(0);
    const { body } = await stage.hub.post<{ data: { content: unknown }[] }>('/messages.list', {
      conversation_id: await stage.conversation(),
    });
    expect(body.data.at(-1)?.content).toEqual({ text: 'The small one', postbackData: 'SMALL' });
  });

  it('is a module for pages with looks of their own', async () => {
    await using visitor = await stage.visitor();
    const page = await visitor.context.newPage();
    await page.goto(`${stage.shopUrl}page.css`);
    // As text: what is written here as code is not what the browser would get.
    const contents = await page.evaluate(`(async () => {
      const { createChat } = await import('${stage.hub.url}/chatplugin/ui/widget.mjs');
      const chat = createChat({ host: '${stage.hub.url}', channelId: '${stage.channel}' });
      chat.send({ text: 'Without looks' });
      await new Promise((resolve) => chat.subscribe(({ lines }) => lines[0]?.status === 'sent' && resolve()));
      return chat.state.lines.map(({ content }) => content);
    })()`);
    expect(contents).toEqual([{ text: 'Without looks' }]);
    expect(await stage.kept()).toEqual(['visitor: Without looks']);
  });

  it('says that the channel is off, and comes back with it', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('Before');
    await tab.sees('Before');
    await stage.hub.post('/channels.chatplugin.disconnect', { channel_id: stage.channel });
    await tab.write('In vain for now');
    await tab.part('.foot[role="status"]').waitFor();
    expect(await tab.part('textarea').count()).toBe(0);
    expect(await tab.part('.line[data-status="sending"]').count()).toBe(1);
    await stage.hub.post('/channels.chatplugin.connect', { name: 'shop' });
    await tab.sees('In vain for now');
    await tab.write('After');
    await tab.sees('After');
    expect(await tab.texts()).toEqual(['Before', 'In vain for now', 'After']);
    expect(visitor.errors).toEqual([]);
  });

  it('loses nothing when the hub is killed and comes back', async () => {
    await using visitor = await stage.visitor();
    const tab = await (await visitor.visit()).open();
    await tab.write('Before');
    await tab.sees('Before');
    await stage.hub.kill();
    await tab.part('.overlay p').waitFor();
    for (const text of ['While it was gone, one', 'While it was gone, two']) await tab.write(text);
    expect(await tab.part('.line[data-status="sending"]').count()).toBe(2);
    await stage.hub.start();
    await stage.agentSays({ text: 'Welcome back' });
    for (const text of ['gone, one', 'gone, two', 'Welcome back']) await tab.sees(text);
    await tab.part('.overlay p').waitFor({ state: 'detached' });
    await tab.write('After');
    await tab.sees('After');
    const visitors = (await stage.kept()).filter((line) => line.startsWith('visitor'));
    expect(visitors.map((line) => line.slice('visitor: '.length))).toEqual([
      'Before',
      'While it was gone, one',
      'While it was gone, two',
      'After',
    ]);
    const kept = (await stage.kept()).map((line) => line.replace(/^\w+: /, ''));
    expect((await tab.texts()).toSorted()).toEqual(kept.toSorted());
  });
});
