import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryHub, settled, shownIn } from './memory-hub.ts';

let hub: MemoryHub;
beforeEach(() => {
  hub = new MemoryHub();
});

/** A page on which the visitor has written "Hello". */
async function begun(browser = hub.browser()) {
  const chat = browser.open();
  chat.send({ text: 'Hello' });
  await settled();
  return { browser, chat };
}

describe('the first Message', () => {
  it('begins the conversation, and nothing before it does', async () => {
    const chat = hub.browser().open();
    await settled();
    expect([chat.state.phase, chat.state.connection, hub.requests]).toEqual(['new', 'idle', []]);
    chat.send({ text: 'Hello' });
    await settled();
    expect([chat.state.phase, chat.state.connection]).toEqual(['active', 'online']);
    expect([hub.written, shownIn(chat.state)]).toEqual([['Hello'], ['Hello']]);
  });

  it('is shown before it is sent', () => {
    const chat = hub.browser().open();
    chat.send({ text: 'Hello' });
    expect(shownIn(chat.state)).toEqual(['Hello (sending)']);
  });

  it('waits for a channel that takes no visitors', async () => {
    hub.switchOff();
    const { chat } = await begun();
    expect([chat.state.phase, hub.requests.length, shownIn(chat.state)]).toEqual([
      'unavailable',
      1,
      ['Hello (sending)'],
    ]);
    chat.send({ text: 'Anybody?' });
    hub.clock.advance(600_000);
    await settled();
    expect(chat.state.phase).toBe('unavailable');
    hub.refusals.clear();
    hub.clock.advance(30_000);
    await settled();
    expect([chat.state.phase, chat.state.connection, hub.written]).toEqual(['active', 'online', ['Hello']]);
  });
});

describe('live', () => {
  it('shows what agents write, once', async () => {
    const { chat } = await begun();
    hub.agent('Hi there');
    await settled();
    expect(shownIn(chat.state)).toEqual(['Hello', 'Hi there']);
  });

  it('keeps the key of a line while it is sent', async () => {
    const chat = hub.browser().open();
    const keys = new Set<string | undefined>();
    chat.subscribe(({ lines }) => keys.add(lines[0]?.key));
    chat.send({ text: 'Hello' });
    await settled();
    expect([...keys]).toEqual(['id-1']);
  });

  it('never shows a Message twice on its way', async () => {
    const { chat } = await begun();
    const most = { shown: 0 };
    chat.subscribe(({ lines }) => {
      most.shown = Math.max(most.shown, lines.length);
    });
    chat.send({ text: 'Again' });
    await settled();
    expect([most.shown, shownIn(chat.state)]).toEqual([2, ['Hello', 'Again']]);
  });

  it('acknowledges what it has', async () => {
    const { chat } = await begun();
    hub.agent('One');
    hub.agent('Two');
    await settled();
    expect([shownIn(chat.state), hub.acknowledged]).toEqual([
      ['Hello', 'One', 'Two'],
      ['1', '2', '3'],
    ]);
  });

  it('shows that an agent types, for ten seconds', async () => {
    const { chat } = await begun();
    hub.typing(true);
    await settled();
    expect(chat.state.agentTypes).toBe(true);
    hub.clock.advance(9_999);
    expect(chat.state.agentTypes).toBe(true);
    hub.clock.advance(1);
    expect(chat.state.agentTypes).toBe(false);
  });

  it('ends the typing with what was typed', async () => {
    const { chat } = await begun();
    hub.typing(true);
    hub.agent('Done');
    await settled();
    expect(chat.state.agentTypes).toBe(false);
  });

  it('tells that the visitor types, and that it stopped', async () => {
    const { chat } = await begun();
    chat.type();
    chat.type();
    hub.clock.advance(4_000);
    chat.type();
    expect(hub.typingTold).toEqual([true]);
    hub.clock.advance(2_000);
    chat.type();
    expect(hub.typingTold).toEqual([true, true]);
    hub.clock.advance(60_000);
    expect(hub.typingTold).toEqual([true, true, false]);
  });

  it('counts what agents wrote since it was looked at', async () => {
    const { chat, browser } = await begun();
    hub.agent('One');
    hub.agent('Two');
    await settled();
    expect(chat.state.unread).toBe(2);
    chat.markSeen();
    expect(chat.state.unread).toBe(0);
    hub.agent('Three');
    await settled();
    const later = browser.open();
    await settled();
    expect([chat.state.unread, later.state.unread]).toEqual([1, 1]);
  });
});

describe('pages and tabs', () => {
  it('goes on after the page is loaded again', async () => {
    const { chat, browser } = await begun();
    chat.close();
    hub.agent('While you were away');
    const later = browser.open();
    await settled();
    expect(shownIn(later.state)).toEqual(['Hello', 'While you were away']);
    later.send({ text: 'Back' });
    await settled();
    expect([...hub.conversations.keys()]).toEqual(['c1']);
  });

  it('shows the same in both tabs', async () => {
    const browser = hub.browser();
    const other = browser.open();
    const { chat } = await begun(browser);
    other.send({ text: 'From the other' });
    hub.agent('Hi, both of you');
    await settled();
    const both = ['Hello', 'Hi, both of you', 'From the other'];
    expect(shownIn(chat.state).sort()).toEqual(both.sort());
    expect(shownIn(other.state)).toEqual(shownIn(chat.state));
  });

  it('shows and sends in one tab what another left unsent', async () => {
    const browser = hub.browser();
    const other = browser.open();
    const { chat } = await begun(browser);
    hub.isDown = true;
    chat.send({ text: 'One' });
    await settled();
    expect(shownIn(other.state)).toEqual(['Hello', 'One (sending)']);
    chat.close();
    hub.isDown = false;
    hub.clock.advance(30_000);
    await settled();
    expect(shownIn(other.state)).toEqual(['Hello', 'One']);
  });

  it('is one conversation when both tabs begin it', async () => {
    const browser = hub.browser();
    const tabs = [browser.open(), browser.open()];
    tabs.forEach((tab, n) => {
      tab.send({ text: `Hello ${n}` });
    });
    await settled();
    expect([...hub.conversations.keys()]).toHaveLength(1);
    expect(hub.written).toEqual(['Hello 0', 'Hello 1']);
  });

  it('ends in both tabs, and begins anew in both', async () => {
    const browser = hub.browser();
    const other = browser.open();
    const { chat } = await begun(browser);
    chat.end();
    await settled();
    expect([chat.state.phase, other.state.phase]).toEqual(['ended', 'ended']);
    expect(shownIn(chat.state)).toEqual(['Hello']);
    other.restart();
    expect([other.state.phase, shownIn(other.state)]).toEqual(['new', []]);
    other.send({ text: 'Something else' });
    await settled();
    expect([shownIn(chat.state), shownIn(other.state)]).toEqual([['Something else'], ['Something else']]);
    expect(hub.conversations.size).toBe(2);
  });

  it('takes no Message after its end', async () => {
    const { chat } = await begun();
    chat.end();
    chat.send({ text: 'Too late' });
    await settled();
    expect(hub.written).toEqual(['Hello']);
  });

  it('begins anew when the hub has forgotten it', async () => {
    const { chat, browser } = await begun();
    chat.close();
    hub.conversations.clear();
    const later = browser.open();
    await settled();
    expect([later.state.phase, shownIn(later.state)]).toEqual(['new', []]);
    later.send({ text: 'Hello again' });
    await settled();
    expect([later.state.phase, hub.written]).toEqual(['active', ['Hello again']]);
  });

  it('asks for the conversation once, and misses nothing', async () => {
    const { chat, browser } = await begun();
    chat.close();
    hub.onConnection = () => hub.agent('Before the socket listens');
    const before = hub.count('/chatplugin.authenticate');
    const later = browser.open();
    await settled();
    expect(hub.count('/chatplugin.authenticate') - before).toBe(1);
    expect(shownIn(later.state)).toEqual(['Hello', 'Before the socket listens']);
  });

  it('keeps the conversation of a channel that is off for now', async () => {
    const { chat, browser } = await begun();
    chat.close();
    hub.switchOff();
    const meanwhile = browser.open();
    await settled();
    expect(meanwhile.state.phase).toBe('unavailable');
    hub.refusals.clear();
    const later = browser.open();
    await settled();
    expect(shownIn(later.state)).toEqual(['Hello']);
  });
});
