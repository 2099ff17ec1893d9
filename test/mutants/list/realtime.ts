import type { Mutant } from '../mutant.ts';

const fanOut = 'test/realtime/fan-out.test.ts';
const server = 'test/realtime/server.test.ts';
const session = 'test/realtime/session.test.ts';

/** What sockets get. */
export const realtime: readonly Mutant[] = [
  {
    name: 'socket-joins-before-the-end',
    file: 'src/realtime/fan-out.ts',
    from: 'if (sent === entries.length && atEnd) return this.#join(member, position);',
    to: 'if (sent === entries.length) return this.#join(member, position);',
    breaks: 'a socket that resumes misses what is behind its first page',
    caughtBy: { file: fanOut, title: 'joins the live tail at the end, however far that is' },
  },
  {
    name: 'joined-socket-repeats',
    file: 'src/realtime/fan-out.ts',
    from: 'if (covers(member.at, entry)) continue;',
    to: '',
    breaks: 'a socket that has caught up gets events twice',
    caughtBy: { file: fanOut, title: 'gives each subscription each event once, in order' },
    simulation: 'notices',
  },
  {
    name: 'slow-reader-never-closed',
    file: 'src/realtime/fan-out.ts',
    from: 'if (member.sink.backlog() > maxBacklog) member.sink.overflow();\n        else if',
    to: 'if',
    breaks: 'one client that does not read takes all the memory',
    caughtBy: { file: fanOut, title: 'gives a slow live reader up at its position' },
  },
  {
    name: 'reader-of-receipts-never-closed',
    file: 'src/realtime/session.ts',
    from: 'if (this.#wire.backlog() > maxBacklog) throw tooSlow();',
    to: '',
    breaks: 'a client that asks for receipts and reads none takes all the memory',
    caughtBy: { file: session, title: 'of receipts is closed too' },
  },
  {
    name: 'type-filter-leaks',
    file: 'src/realtime/fan-out.ts',
    from: 'type !== undefined ? `type ${type}`',
    to: "type !== undefined ? 'type'",
    breaks: 'who asked for one type of event gets others',
    caughtBy: { file: server, title: 'gets from each destination what it names' },
  },
  {
    name: 'conversation-filter-leaks-on-resuming',
    file: 'src/realtime/fan-out.ts',
    from: '  ...(conversationId !== undefined && { conversationId }),\n',
    to: '',
    breaks: 'who resumes one conversation gets the others',
    caughtBy: { file: fanOut, title: 'gives each subscription each event once, in order' },
  },
  {
    name: 'resumes-after-the-furthest',
    file: 'src/realtime/session.ts',
    from: 'positions.reduce(earlier)',
    to: 'positions.at(-1)!',
    breaks: 'a client with two subscriptions loses events of one of them',
    caughtBy: { file: session, title: 'of two subscriptions resumes after the one behind' },
  },
  {
    name: 'foreign-page-brings-its-cookie',
    file: 'src/realtime/server.ts',
    from: "cookie !== undefined && admission === 'own' && { cookie }",
    to: 'cookie !== undefined && { cookie }',
    breaks: 'any web page reads with the rights of its reader',
    caughtBy: { file: server, title: 'gives the cookies of the own pages only' },
  },
];
