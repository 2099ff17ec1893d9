import { expect, test } from 'vitest';
import type { Logger } from '#actors/ports.ts';
import { Problems } from '#actors/problems.ts';
import { checkpointBounds, Checkpoints, type Moved, type Mover } from '#actors/store/checkpoints.ts';
import { ActorSystem, connectTestChannel, conversationOf, ingestOf } from '../_support/actor-system.ts';
import { ManualClock } from '../_support/manual-clock.ts';
import { envelopeFor, request } from './support.ts';

const { full, near, again, idle } = checkpointBounds;

const notingTo = (lines: string[]): Logger => {
  const note = (_fields: unknown, event: string): void => void lines.push(event);
  return { info: note, warn: note, error: note };
};

/** A log that is only numbers, and a mover that is done when the test says so. */
class Scene {
  readonly clock = new ManualClock();
  readonly lines: string[] = [];
  readonly problems = new Problems(notingTo(this.lines));
  pages = 0;
  moved = 0;
  /** The first page that a reader needs. */
  reader = Number.POSITIVE_INFINITY;
  failure: Error | null = null;
  /** Checkpoints of the writer. */
  own = 0;
  readonly asked: { empty: boolean; done: (moved: Moved) => void }[] = [];
  readonly checkpoints: Checkpoints;

  constructor(withMover = true) {
    const mover: Mover = { move: (_near, empty, done) => this.asked.push({ empty, done }) };
    const store = {
      logPages: () => ({ pages: this.pages, moved: this.moved }),
      checkpoint: () => {
        if (this.failure !== null) throw this.failure;
        this.own++;
        return this.move(this.pages);
      },
    };
    this.checkpoints = new Checkpoints(store, this.clock, this.problems, withMover ? mover : null);
  }

  /** As SQLite does it: a transaction that finds everything moved and no reader starts the log anew. */
  write(pages: number): void {
    if (this.moved === this.pages && this.reader >= this.pages) {
      this.pages = 0;
      this.moved = 0;
    }
    this.pages += pages;
    this.checkpoints.committed();
  }

  move(upTo: number): boolean {
    this.moved = Math.max(this.moved, Math.min(upTo, this.reader));
    return this.moved === this.pages;
  }

  /** The mover moves what was in the log `behind` pages ago, and says that it is done. */
  moverEnds(behind = 0, emptied = false): void {
    this.move(this.pages - behind);
    this.asked.shift()!.done({ emptied, problem: null });
  }
}

test('a log that is not full is left alone', () => {
  const scene = new Scene();
  scene.write(full - 1);
  expect(scene).toMatchObject({ own: 0, asked: [] });
});

test('the mover moves a full log and the writer the rest', () => {
  const scene = new Scene();
  scene.write(full);
  expect(scene.asked).toMatchObject([{ empty: false }]);
  for (let i = 0; i < 5; i++) scene.write(100);
  expect(scene).toMatchObject({ own: 0, asked: { length: 1 } });
  scene.moverEnds(500);
  scene.write(100);
  expect(scene).toMatchObject({ own: 1, pages: full + 600, moved: full + 600 });
  scene.write(1);
  expect(scene).toMatchObject({ pages: 1, own: 1, asked: [] });
});

test('a few pages that are left are moved without the mover', () => {
  const scene = new Scene();
  scene.write(full);
  scene.moverEnds();
  scene.reader = 0;
  scene.write(near);
  expect(scene).toMatchObject({ own: 1, asked: [] });
});

test('a reader in the log puts the next try off', () => {
  const scene = new Scene();
  scene.reader = 10;
  scene.write(full);
  scene.moverEnds();
  for (let written = 0; written < again; written += 256) {
    scene.write(256);
    expect(scene).toMatchObject({ own: 0, asked: [] });
  }
  scene.write(256);
  expect(scene.asked).toHaveLength(1);
  scene.reader = Number.POSITIVE_INFINITY;
  scene.moverEnds();
  scene.write(1);
  expect(scene).toMatchObject({ own: 0, pages: 1 });
  scene.write(full);
  expect(scene.asked).toHaveLength(1);
});

test('a writer without a mover does all of it', () => {
  const scene = new Scene(false);
  scene.write(full);
  expect(scene).toMatchObject({ own: 1, moved: full });
  scene.write(1);
  scene.reader = 10;
  scene.write(full);
  scene.write(again - 1);
  expect(scene).toMatchObject({ own: 2, moved: 10 });
  scene.write(1);
  expect(scene.own).toBe(3);
  expect(scene.clock.nextDue()).toBe(null);
});

test('an idle log is emptied, and looked at until it is', () => {
  const scene = new Scene();
  scene.write(idle);
  scene.clock.advance(5_000);
  expect(scene.asked).toEqual([]);
  scene.clock.advance(5_000);
  expect(scene.asked).toMatchObject([{ empty: true }]);
  scene.moverEnds(0, false);
  scene.clock.advance(5_000);
  expect(scene.asked).toMatchObject([{ empty: true }]);
  scene.moverEnds(0, true);
  scene.clock.advance(60_000);
  expect(scene).toMatchObject({ asked: [], own: 0 });
  expect(scene.clock.nextDue()).toBe(null);
});

test('a log in which little was written is not emptied', () => {
  const scene = new Scene();
  scene.write(idle - 1);
  scene.clock.advance(60_000);
  expect(scene.asked).toEqual([]);
  expect(scene.clock.nextDue()).toBe(null);
});

test('a log that holds what was erased is emptied, however small', () => {
  const scene = new Scene();
  scene.pages = 1;
  scene.checkpoints.committed(true);
  scene.clock.advance(5_000);
  scene.clock.advance(5_000);
  expect(scene.asked.map(({ empty }) => empty)).toEqual([true]);
  scene.moverEnds(0, false);
  scene.clock.advance(5_000);
  expect(scene.asked.map(({ empty }) => empty)).toEqual([true]);
  scene.moverEnds(0, true);
  scene.clock.advance(60_000);
  expect(scene.asked).toEqual([]);
});

test('what was erased leaves the log while others write', () => {
  const scene = new Scene();
  scene.pages = 1;
  scene.checkpoints.committed(true);
  scene.clock.advance(5_000);
  expect(scene.asked.map(({ empty }) => empty)).toEqual([true]);
  scene.write(1);
  scene.moverEnds(0, false);
  scene.write(1);
  scene.clock.advance(5_000);
  expect(scene.asked.map(({ empty }) => empty)).toEqual([true]);
});

test('what is erased while the log is emptied is not forgotten', () => {
  const scene = new Scene();
  scene.pages = 1;
  scene.checkpoints.committed(true);
  scene.clock.advance(5_000);
  scene.checkpoints.committed(true);
  scene.moverEnds(0, true);
  scene.clock.advance(5_000);
  expect(scene.asked.map(({ empty }) => empty)).toEqual([true]);
});

test('a checkpoint that fails is logged once and tried again', () => {
  const scene = new Scene(false);
  scene.failure = new Error('disk I/O error');
  for (const pages of [full, again, again - 1]) scene.write(pages);
  expect(scene.lines).toEqual(['problem.began']);
  expect(scene.problems.list()).toEqual([{ part: 'checkpoints', problem: 'disk I/O error' }]);
  scene.failure = null;
  scene.write(1);
  expect(scene).toMatchObject({ own: 1, moved: full + 2 * again, lines: ['problem.began', 'problem.ended'] });
});

test('a mover that fails is asked again until it works', () => {
  const scene = new Scene();
  scene.write(idle);
  const moverFails = () => scene.asked.shift()!.done({ emptied: false, problem: 'database or disk is full' });
  scene.clock.advance(10_000);
  for (let i = 0; i < 3; i++) {
    moverFails();
    scene.clock.advance(5_000);
  }
  expect(scene.problems.list()).toEqual([{ part: 'checkpoints', problem: 'database or disk is full' }]);
  scene.moverEnds(0, true);
  scene.clock.advance(60_000);
  expect(scene).toMatchObject({ asked: [], lines: ['problem.began', 'problem.ended'] });
});

test('commands are answered while checkpoints fail', async () => {
  const lines: string[] = [];
  await using system = new ActorSystem({
    logger: { ...notingTo(lines), info() {} },
    wrapStore: (store) => ({
      ...store,
      logPages: () => {
        throw new Error('disk I/O error');
      },
    }),
  });
  await connectTestChannel(system.commands());
  const ingest = envelopeFor(system, 'conversation', conversationOf('ann'), 'messages.ingest', ingestOf('ann', ['hi']));
  expect(await request(system, ingest)).toMatchObject({ ok: true });
  expect(lines).toEqual(['problem.began']);
  expect(system.problem).toBe('checkpoints: disk I/O error');
});
