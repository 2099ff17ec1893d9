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

describe('away from the hub', () => {
  it('keeps what is written, and sends it in its order', async () => {
    const { chat } = await begun();
    hub.isDown = true;
    hub.cut();
    for (const text of ['One', 'Two', 'Three']) chat.send({ text });
    await settled();
    expect(chat.state.connection).toBe('offline');
    expect(shownIn(chat.state)).toEqual(['Hello', 'One (sending)', 'Two (sending)', 'Three (sending)']);
    hub.isDown = false;
    hub.clock.advance(30_000);
    await settled();
    expect([chat.state.connection, hub.written]).toEqual(['online', ['Hello', 'One', 'Two', 'Three']]);
    expect(shownIn(chat.state)).toEqual(['Hello', 'One', 'Two', 'Three']);
  });

  it('keeps it over a reload, too', async () => {
    const { chat, browser } = await begun();
    hub.isDown = true;
    chat.send({ text: 'One' });
    await settled();
    chat.close();
    const later = browser.open();
    await settled();
    expect(shownIn(later.state)).toEqual(['One (sending)']);
    hub.isDown = false;
    hub.clock.advance(30_000);
    await settled();
    expect(shownIn(later.state)).toEqual(['Hello', 'One']);
  });

  it('doubles nothing when answers are lost', async () => {
    const { chat } = await begun();
    hub.losesAnswersOf = '/chatplugin.send';
    for (const text of ['One', 'Two']) chat.send({ text });
    await settled();
    for (let n = 0; n < 4; n++) {
      hub.clock.advance(30_000);
      await settled();
    }
    expect(hub.written).toEqual(['Hello', 'One']);
    hub.losesAnswersOf = '';
    hub.clock.advance(30_000);
    await settled();
    expect(hub.written).toEqual(['Hello', 'One', 'Two']);
    expect(shownIn(chat.state)).toEqual(['Hello', 'One', 'Two']);
  });

  it('shows once what has come, and is not answered yet', async () => {
    const { chat } = await begun();
    hub.losesAnswersOf = '/chatplugin.send';
    hub.cut();
    chat.send({ text: 'One' });
    await settled();
    expect([hub.written, shownIn(chat.state)]).toEqual([
      ['Hello', 'One'],
      ['Hello', 'One (sending)'],
    ]);
    hub.clock.advance(1_000);
    await settled();
    expect([chat.state.connection, shownIn(chat.state)]).toEqual(['online', ['Hello', 'One']]);
  });

  it('takes nothing said before for what is on its way', async () => {
    const { chat, browser } = await begun();
    hub.isDown = true;
    chat.send({ text: 'Hello' });
    await settled();
    chat.close();
    hub.isDown = false;
    hub.refusals.set('/chatplugin.send', [503, { error: 'later' }]);
    const later = browser.open();
    await settled();
    expect(shownIn(later.state)).toEqual(['Hello', 'Hello (sending)']);
  });

  it('misses nothing that was written meanwhile', async () => {
    const { chat } = await begun();
    hub.cut();
    hub.agent('Into the gap');
    hub.clock.advance(30_000);
    await settled();
    expect(shownIn(chat.state)).toEqual(['Hello', 'Into the gap']);
  });

  it('waits longer each time, and not when it is looked at', async () => {
    const { chat, browser } = await begun();
    hub.isDown = true;
    hub.cut();
    const seconds: number[] = [];
    for (let second = 0; second < 16; second += 0.5) {
      const before = hub.connections;
      hub.clock.advance(500);
      await settled();
      if (hub.connections > before) seconds.push(second + 0.5);
    }
    expect(seconds).toEqual([1, 3, 7, 15]);
    hub.isDown = false;
    browser.look();
    await settled();
    expect(chat.state.connection).toBe('online');
  });

  it('asks now and then where no socket gets through', async () => {
    hub.hasNoSockets = true;
    const { chat } = await begun();
    expect(chat.state.connection).toBe('online');
    hub.agent('Slowly');
    hub.clock.advance(10_000);
    await settled();
    expect(shownIn(chat.state)).toEqual(['Hello', 'Slowly']);
    for (let times = 0; times < 12; times++) {
      hub.clock.advance(10_000);
      await settled();
    }
    expect(hub.connections).toBeLessThan(7);
    hub.hasNoSockets = false;
    for (let times = 0; times < 12; times++) {
      hub.clock.advance(10_000);
      await settled();
    }
    hub.agent('At once');
    await settled();
    expect(shownIn(chat.state).at(-1)).toBe('At once');
  });

  it('goes on when its token has ended', async () => {
    const { chat } = await begun();
    hub.expireTokens();
    hub.cut();
    chat.send({ text: 'Still me' });
    await settled();
    hub.clock.advance(5_000);
    await settled();
    expect([chat.state.connection, hub.written]).toEqual(['online', ['Hello', 'Still me']]);
    expect(hub.conversations.size).toBe(1);
  });

  it('waits as long as the hub asks it to, and a bit', async () => {
    const { chat } = await begun();
    hub.refusals.set('/chatplugin.send', [429, { error: 'slow down' }, { 'Retry-After': '20' }]);
    chat.send({ text: 'One' });
    await settled();
    hub.refusals.clear();
    const before = hub.requests.length;
    hub.clock.advance(20_999);
    await settled();
    expect(hub.requests.length).toBe(before);
    hub.clock.advance(1);
    await settled();
    expect(hub.written).toEqual(['Hello', 'One']);
  });

  it('waits so long for its conversation, looked at or not', async () => {
    const { chat, browser } = await begun();
    hub.refusals.set('/chatplugin.authenticate', [429, { error: 'slow down' }, { 'Retry-After': '20' }]);
    hub.expireTokens();
    hub.cut();
    hub.clock.advance(1_000);
    await settled();
    hub.clock.advance(2_000);
    await settled();
    hub.refusals.clear();
    const before = hub.requests.length;
    hub.clock.advance(19_999);
    browser.look();
    await settled();
    expect([hub.requests.length, chat.state.connection]).toEqual([before, 'offline']);
    hub.clock.advance(1);
    browser.look();
    await settled();
    expect(chat.state.connection).toBe('online');
  });

  it('leaves to chance when it tries, so that not all do at once', async () => {
    const { chat } = await begun();
    hub.random = 0.25;
    hub.cut();
    hub.clock.advance(249);
    await settled();
    expect(chat.state.connection).toBe('offline');
    hub.clock.advance(1);
    await settled();
    expect(chat.state.connection).toBe('online');
  });

  it('is told that the channel is off, until it is on again', async () => {
    const { chat } = await begun();
    hub.switchOff();
    await settled();
    hub.clock.advance(60_000);
    await settled();
    expect([chat.state.phase, shownIn(chat.state)]).toEqual(['unavailable', ['Hello']]);
    hub.refusals.clear();
    hub.agent('Here again');
    hub.clock.advance(30_000);
    await settled();
    expect([chat.state.phase, chat.state.connection]).toEqual(['active', 'online']);
    expect(shownIn(chat.state)).toEqual(['Hello', 'Here again']);
  });

  it('keeps what the channel refuses while it is off', async () => {
    const { chat } = await begun();
    hub.refusals.set('/chatplugin.send', [403, { error: 'not connected' }]);
    chat.send({ text: 'One' });
    await settled();
    expect([chat.state.phase, shownIn(chat.state)]).toEqual(['unavailable', ['Hello', 'One (sending)']]);
    hub.refusals.clear();
    hub.clock.advance(30_000);
    await settled();
    expect([chat.state.phase, hub.written]).toEqual(['active', ['Hello', 'One']]);
  });
});

describe('a Message that the hub refuses', () => {
  /** "One" is refused, "Two" is not. */
  async function refused(browser = hub.browser()) {
    const { chat } = await begun(browser);
    hub.refusals.set('/chatplugin.send', [413, { error: 'The body is too large.' }]);
    chat.send({ text: 'One' });
    await settled();
    hub.refusals.clear();
    chat.send({ text: 'Two' });
    await settled();
    return chat;
  }

  it('says why, and holds up no other', async () => {
    const chat = await refused();
    expect(shownIn(chat.state)).toEqual(['Hello', 'Two', 'One (failed)']);
    expect(chat.state.lines.at(-1)?.problem).toBe('The body is too large.');
  });

  it('is sent again when the visitor says so', async () => {
    const chat = await refused();
    chat.retry(chat.state.lines.at(-1)!);
    await settled();
    expect(shownIn(chat.state)).toEqual(['Hello', 'Two', 'One']);
  });

  it('is not lost while the channel is off', async () => {
    const browser = hub.browser();
    await refused(browser);
    hub.switchOff();
    const later = browser.open();
    await settled();
    later.retry(later.state.lines.at(-1)!);
    expect([later.state.phase, shownIn(later.state)]).toEqual(['unavailable', ['One (failed)']]);
  });

  it('is forgotten when the visitor says so', async () => {
    const chat = await refused();
    chat.discard(chat.state.lines.at(-1)!);
    expect(shownIn(chat.state)).toEqual(['Hello', 'Two']);
  });
});
