import type { Mutant } from '../mutant.ts';

const chat = 'test/web/chat.test.ts';
const away = 'test/web/chat-away.test.ts';

/** What the widget promises to the people who write in it. */
export const widget: readonly Mutant[] = [
  {
    name: 'widget-shows-twice-on-its-way',
    file: 'web/chat-widget/core/chat.ts',
    from: '    else if (isNew) this.#noteArrivals([message]);\n',
    to: '',
    breaks: 'a Message is seen twice until its request is answered',
    caughtBy: { file: chat, title: 'never shows a Message twice on its way' },
  },
  {
    name: 'widget-shows-twice-after-a-gap',
    file: 'web/chat-widget/core/chat.ts',
    from: '    this.#noteArrivals(list);\n',
    to: '',
    breaks: 'a Message whose answer was lost is seen twice',
    caughtBy: { file: away, title: 'shows once what has come, and is not answered yet' },
  },
  {
    name: 'widget-misses-the-gap',
    file: 'web/chat-widget/core/listening.ts',
    from: 'after: this.#place ?? cursor }',
    to: "after: this.#place ?? '' }",
    breaks: 'what was written between the list and the subscription is never shown',
    caughtBy: { file: chat, title: 'asks for the conversation once, and misses nothing' },
  },
  {
    name: 'widget-acknowledges-nothing',
    file: 'web/chat-widget/core/socket.ts',
    from: "send('ACK', { id: headers['ack'] ?? '' });",
    to: '',
    breaks: 'what visitors read stays pending, and comes again with each socket',
    caughtBy: { file: chat, title: 'acknowledges what it has' },
  },
  {
    name: 'widget-gives-a-channel-up',
    file: 'web/chat-widget/core/listening.ts',
    from: 'if (isOff(error)) this.#events.unavailable();',
    to: 'if (isOff(error)) return this.#events.unavailable();',
    breaks: 'a chat that was off for a minute is dead until the page is loaded again',
    caughtBy: { file: away, title: 'is told that the channel is off, until it is on again' },
  },
  {
    name: 'widget-hurries-the-hub',
    file: 'web/chat-widget/core/backoff.ts',
    from: 'if (this.#environment.clock.now() >= this.#notBefore) this.#runNow();',
    to: 'this.#runNow();',
    breaks: 'visitors who look at a page ask a hub that has no time for them',
    caughtBy: { file: away, title: 'waits so long for its conversation, looked at or not' },
  },
  {
    name: 'widget-forgets-a-channel-that-is-off',
    file: 'web/chat-widget/core/visit.ts',
    from: 'if (!(error instanceof Refusal) || error.status !== 401) throw error;',
    to: 'if (!(error instanceof Refusal) || error.passes) throw error;',
    breaks: 'visitors lose their conversation when its channel is off for a while',
    caughtBy: { file: chat, title: 'keeps the conversation of a channel that is off for now' },
  },
  {
    name: 'widget-sends-in-any-order',
    file: 'web/chat-widget/core/drafts.ts',
    from: '.sort((one, other) => one.writtenAt - other.writtenAt)',
    to: '',
    breaks: 'what was written away from the hub arrives in another order',
    caughtBy: { file: away, title: 'keeps what is written, and sends it in its order' },
  },
  {
    name: 'widget-tabs-leave-drafts',
    file: 'web/chat-widget/core/chat.ts',
    from: '        else if (key.startsWith(draftPrefix)) this.#draftsChanged();\n',
    to: '',
    breaks: 'what a closed tab had not sent waits for the next page',
    caughtBy: { file: chat, title: 'shows and sends in one tab what another left unsent' },
  },
  {
    name: 'widget-keeps-a-bad-token',
    file: 'web/chat-widget/core/sending.ts',
    from: '      await visit.expire(token);\n',
    to: '',
    breaks: 'an hour after its beginning a chat sends nothing any more',
    caughtBy: { file: away, title: 'goes on when its token has ended' },
  },
  {
    name: 'widget-follows-any-scheme',
    file: 'web/chat-widget/core/links.ts',
    from: 'return schemes.includes(url.protocol) ? url.href : null;',
    to: 'return url.href;',
    breaks: 'an address of a message runs a script on the page of the shop',
    caughtBy: { file: 'test/web/content.test.ts', title: 'is loaded from the web only' },
  },
];
