import type { Mutant } from '../mutant.ts';

const retentionTest = 'test/actors/retention.test.ts';

/** What is forgotten, and when. */
export const retention: readonly Mutant[] = [
  {
    name: 'horizon-not-stored',
    file: 'actors/store/write-transaction.ts',
    from: 'next_position = @next_position, horizon = @horizon',
    to: 'next_position = @next_position',
    breaks: 'a cursor from before what is kept gets a silent gap',
    caughtBy: { file: 'test/actors/retention-year.test.ts', title: 'a cursor from before what is kept has expired' },
    simulation: 'notices',
  },
  {
    name: 'base-not-written',
    file: 'actors/journal/prune.ts',
    from: 'changes.push(base.stored ? bases.update(base.row.key, base.row) : bases.insert(base.row));',
    to: 'if (base.stored) changes.push(bases.update(base.row.key, base.row));',
    breaks: 'what is kept of an actor can not be checked any more',
    caughtBy: { file: retentionTest, title: 'actors fold from their bases, and go on' },
    simulation: 'notices',
  },
  {
    name: 'forgotten-rows-not-summed',
    file: 'actors/runtime/retention.ts',
    from: 'shard.counters.account(forgetting.rows);',
    to: '',
    breaks: 'rows whose turns are forgotten can not be checked any more',
    caughtBy: { file: 'test/actors/tampering.test.ts', title: 'the file has rows in every table and is sound' },
  },
  {
    name: 'base-without-its-chain',
    file: 'actors/journal/prune.ts',
    from: 'actor.row.chain = row.hash;',
    to: 'actor.row.chain ??= row.hash;',
    breaks: 'the chain of an actor breaks with the second pruning',
    caughtBy: { file: retentionTest, title: 'actors fold from their bases, and go on' },
  },
  {
    name: 'own-time-follows-the-wall-clock',
    file: 'actors/runtime/own-time.ts',
    from: 'this.#at += Math.min(behind, passed);',
    to: 'this.#at += behind;',
    breaks: 'a wall clock that is wrong for a minute deletes everything',
    caughtBy: { file: retentionTest, title: 'deletes nothing' },
    simulation: 'notices',
  },
  {
    name: 'retention-by-row-times',
    file: 'actors/runtime/retention.ts',
    from: 'const at = this.#timeOf(shard).tick(this.#options.clock);',
    to: 'const at = this.#options.clock.now();',
    breaks: 'a wall clock that jumps deletes or keeps everything',
    caughtBy: { file: retentionTest, title: 'deletes nothing' },
    simulation: 'notices',
  },
  {
    name: 'forgotten-in-half-the-time',
    file: 'actors/runtime/retention.ts',
    from: 'mark.at <= at - age',
    to: 'mark.at <= at - age / 2',
    breaks: 'events go before their time',
    caughtBy: { file: retentionTest, title: 'turns older than the policy go, younger ones stay' },
  },
  {
    name: 'forgotten-actor-stays-in-memory',
    file: 'actors/runtime/retention.ts',
    from: 'for (const { kind, id } of forgetting.forgotten) activations.drop(kind, id);',
    to: '',
    breaks: 'the next command of an actor that is gone changes a row that is not there',
    caughtBy: { file: 'test/actors/idempotency-key.test.ts', title: 'another generation' },
  },
  {
    name: 'forgotten-before-it-is-counted',
    file: 'actors/runtime/retention.ts',
    from: 'upTo: Math.min(mark.next_position, ...behind.map(({ at }) => this.#turnOf(shard.number, at + 1))),',
    to: 'upTo: mark.next_position,',
    breaks: 'events that a webhook has not sent are gone without a word',
    caughtBy: {
      file: 'test/actors/retention-followers.test.ts',
      title: 'what retention takes unsent is counted and told',
    },
  },
];
