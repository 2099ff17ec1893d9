import type { Mutant } from '../mutant.ts';

const repetition = 'test/actors/repetition.test.ts';
const failure = 'test/actors/store-failure.test.ts';
const letters = 'test/actors/dead-letters.test.ts';

/** From the mailbox to the commit and its replies. */
export const writePath: readonly Mutant[] = [
  {
    name: 'reply-before-commit',
    file: 'actors/runtime/batch.ts',
    from: 'outcome.replies.push({ command, reply: handled.reply });',
    to: 'command.respond(handled.reply);',
    breaks: 'a command is answered whose commit fails',
    caughtBy: { file: failure, title: 'nothing is answered ok until the store is back' },
    simulation: 'notices',
  },
  {
    name: 'expired-repeat-not-recognised',
    file: 'actors/runtime/batch.ts',
    from: 'if (answered !== null) return answered;',
    to: '',
    breaks: 'what was done is answered as not done, and done again',
    caughtBy: { file: repetition, title: 'an expired repeat gets the answer of what was done' },
    simulation: 'notices',
  },
  {
    name: 'ingest-not-deduplicated',
    file: 'actors/conversation/ingest.ts',
    from: 'const stored = reads.message(id);',
    to: 'const stored = null as ReturnType<typeof reads.message>;',
    breaks: 'a message that is there already is a defect of the hub',
    caughtBy: { file: repetition, title: 'an ingest with one new message stores that one' },
    simulation: 'notices',
  },
  {
    name: 'repeated-ingest-called-duplicate',
    file: 'actors/conversation/ingest.ts',
    from: "duplicate: reads.commandOf(stored.turn) !== commandId.replaceAll('-', '')",
    to: 'duplicate: true',
    breaks: 'a source that tries again hears that its message is a duplicate of itself',
    caughtBy: { file: repetition, title: 'a command sent again later gets its first answer' },
    simulation: 'notices',
  },
  {
    name: 'answers-not-remembered',
    file: 'actors/runtime/command-handling.ts',
    from: 'runtime.end(remembers ? JSON.stringify(reply) : null)',
    to: 'runtime.end(null)',
    breaks: 'a command that is sent again is done twice',
    caughtBy: { file: repetition, title: 'an expired repeat gets the answer of what was done' },
    simulation: 'notices',
  },
  {
    name: 'refusals-not-remembered',
    file: 'actors/runtime/command-handling.ts',
    from: 'const changes = remembers ? [refusal(envelope, shard, JSON.stringify(reply))] : [];',
    to: 'const changes: Change[] = [];',
    breaks: 'a command that was refused is done when it comes again',
    caughtBy: { file: repetition, title: 'a refusal is answered the same again' },
    simulation: 'notices',
  },
  {
    name: 'rolled-back-memory-kept',
    file: 'actors/runtime/commit-loop.ts',
    from: 'this.#options.undone();',
    to: '',
    breaks: 'actors go on from a batch that never was',
    caughtBy: { file: failure, title: 'lsn, keys and seq have no gap after a failure' },
    simulation: 'notices',
  },
  {
    name: 'counters-not-reset',
    file: 'actors/runtime/batch.ts',
    from: 'for (const [i, shard] of shards.entries()) shard.counters.reset(marks[i]!);',
    to: '',
    breaks: 'positions of the feed have gaps after a rollback',
    caughtBy: { file: failure, title: 'lsn, keys and seq have no gap after a failure' },
    simulation: 'notices',
  },
  {
    name: 'memory-kept-after-a-throw',
    file: 'actors/runtime/command-handling.ts',
    from: '// Its memory may be half changed.\n      this.#activations.drop(envelope.actor.kind, envelope.actor.id);',
    to: '',
    breaks: 'the next command of an actor builds on half of one that threw',
    caughtBy: { file: letters, title: 'a command that throws becomes a dead letter' },
    simulation: { blind: 'no handler of the hub throws' },
  },
  {
    name: 'dead-timer-left-in-place',
    file: 'actors/runtime/command-handling.ts',
    from: 'if (this.#store.timer(subject, name)?.key === key) changes.push(timers.remove(key));',
    to: '',
    breaks: 'a timer whose handler throws fires again and again',
    caughtBy: { file: letters, title: 'fires no second time' },
    simulation: { blind: 'no handler of the hub throws' },
  },
];
