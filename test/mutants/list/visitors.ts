import type { Mutant } from '../mutant.ts';

const messages = 'test/realtime/visitor/messages.test.ts';
const socket = 'test/realtime/visitor/socket.test.ts';
const typing = 'test/realtime/visitor/typing.test.ts';
const operations = 'test/http/chatplugin.test.ts';

/** What visitors see and get, and what they can not. */
export const visitors: readonly Mutant[] = [
  {
    name: 'visitor-follows-everybody',
    file: 'src/realtime/visitor/subscriptions.ts',
    from: 'fanOut.subscribe({ conversationId }, from',
    to: 'fanOut.subscribe({}, from',
    breaks: 'visitors read what others write',
    caughtBy: { file: messages, title: 'gets nothing of another conversation' },
  },
  {
    name: 'visitor-misses-what-was-sent-meanwhile',
    file: 'src/realtime/visitor/subscriptions.ts',
    from: 'oldest === null ? after : earlier(after, positionBefore(oldest, end))',
    to: 'after',
    breaks: 'what was sent to a visitor who was away never arrives at a socket',
    caughtBy: { file: messages, title: 'gets what was sent meanwhile at the next socket, in order' },
  },
  {
    name: 'visitor-is-called',
    file: 'src/dispatch/source-calls.ts',
    from: "if (connector.deliver === 'collected') return { kind: 'awaits_recipient' };",
    to: '',
    breaks: 'messages to visitors who are away fail',
    caughtBy: { file: messages, title: 'gets what was sent meanwhile at the next socket, in order' },
  },
  {
    name: 'resumed-visit-collects-nothing',
    file: 'src/http/chatplugin/collected-messages.ts',
    from: "await commands.send('conversation', conversationId, 'messages.collect', { messageIds });",
    to: 'void commands;',
    breaks: 'messages that a visitor has read stay pending',
    caughtBy: { file: messages, title: 'gets it with the answer that resumes' },
  },
  {
    name: 'visitor-outlives-the-token',
    file: 'src/realtime/visitor/door.ts',
    from: 'clock.now() < visitor.until && ',
    to: '',
    breaks: 'a stolen token opens a socket for ever',
    caughtBy: { file: socket, title: 'ends its sockets when it ends' },
  },
  {
    name: 'any-page-opens-a-socket',
    file: 'src/realtime/visitor/door.ts',
    from: 'assertPageMay(this.#services, visitor.channelId, this.#shown.origin);',
    to: '',
    breaks: 'pages that a channel does not allow use it by a socket',
    caughtBy: { file: socket, title: 'opens a socket for pages of the channel only' },
  },
  {
    name: 'early-leavers-are-counted',
    file: 'src/realtime/visitor/door.ts',
    from: 'if (visitor === null || this.#isOver) return null;',
    to: 'if (visitor === null) return null;',
    breaks: 'a visitor on a bad line is locked out',
    caughtBy: { file: socket, title: 'that is gone before it is let in is not counted' },
  },
  {
    name: 'typing-floods-the-journal',
    file: 'src/realtime/visitor/typing-report.ts',
    from: 'if (wait <= 0) this.#tell();',
    to: 'if (wait < Number.POSITIVE_INFINITY) this.#tell();',
    breaks: 'each key that a visitor presses is a turn',
    caughtBy: { file: typing, title: 'costs few turns, however many keys are pressed' },
  },
  {
    name: 'visit-tokens-are-all-alike',
    file: 'src/security/visitor-token.ts',
    from: "{ typ, audience, algorithms: ['HS256'], currentDate }",
    to: "{ algorithms: ['HS256'], currentDate: typ === audience ? new Date(0) : currentDate }",
    breaks: 'a resume token opens what is for the token of an hour',
    caughtBy: { file: 'test/http/access-matrix.test.ts', title: 'refuses whom it says' },
  },
  {
    name: 'strangers-share-their-tokens',
    file: 'src/http/chatplugin/authenticate.ts',
    from: '  isRead: true,\n',
    to: '',
    breaks: 'two visitors with one Idempotency-Key get one conversation',
    caughtBy: { file: operations, title: 'is somebody else each time' },
  },
  {
    name: 'any-origin-authenticates',
    file: 'src/http/chatplugin/authenticate.ts',
    from: 'assertPageMay(services, claims.channelId, from.page);',
    to: '',
    breaks: 'pages that a channel does not allow use it',
    caughtBy: { file: operations, title: 'names the pages that may use it, until it does not' },
  },
  {
    name: 'anybody-says-where-from',
    file: 'src/http/client-address.ts',
    from: 'while (trusted.has(address) && hops.length > 0)',
    to: 'while (hops.length > 0)',
    breaks: 'who writes X-Forwarded-For is never limited',
    caughtBy: { file: 'test/http/client-address.test.ts', title: 'is not what anybody writes' },
  },
];
