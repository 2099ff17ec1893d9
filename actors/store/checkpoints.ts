import type { Cancel, Clock } from '../ports.ts';
import type { Problems } from '../problems.ts';
import type { HostStore } from './host-store.ts';

/** Moves pages from the write-ahead log into the file, beside the writer. */
export interface Mover {
  /**
   * Moves what no reader needs in the log, until at most `near` pages of it are left or no more can be done, and calls
   * `done` once, later, whatever came of it.
   * @param empty whether the log's file is to be made empty: nothing is being written. `done` is told if it is
   */
  move(near: number, empty: boolean, done: (moved: Moved) => void): void;
}

/** What a mover came to. */
export interface Moved {
  /** Whether the log's file is empty now. */
  emptied: boolean;
  /** Why it could not work; null: it did. */
  problem: string | null;
}

/** In pages of 4 KiB. */
export const checkpointBounds = {
  /**
   * What the log holds when it is moved: so much that a hot page is moved once for many commits, so little that a start
   * after a crash reads it quickly, and that its file soon stops growing: a commit into blocks that the file has
   * already takes a quarter of the time of one that makes it longer.
   */
  full: 4_096,
  /** What the writer moves itself without anyone noticing. */
  near: 64,
  /** What is written between two tries, while a reader needs a part of the log. */
  again: 2_048,
  /** What an idle writer leaves in the log. */
  idle: 256,
} as const;

/** The log is emptied when nothing was written for so long, in ms. */
const idleAfter = 5_000;

/**
 * Decides when pages are moved from the write-ahead log into the file. The writer starts the log anew, from the
 * beginning of its file, with the first transaction that finds everything moved and no reader in the log. A mover
 * never gets there while the writer writes: it moves nearly everything and has it on the disk, which is most of the
 * work, and the writer moves the rest between two of its batches.
 */
export class Checkpoints {
  readonly #store: Pick<HostStore, 'logPages' | 'checkpoint'>;
  readonly #clock: Clock;
  readonly #problems: Pick<Problems, 'began' | 'ended'>;
  readonly #mover: Mover | null;
  #moving = false;
  /** Pages in the log when the mover began, until what it came to was looked at. */
  #begun: number | null = null;
  /** Pages in the log before which nothing is tried. */
  #next: number = checkpointBounds.full;
  #pages = 0;
  #written = false;
  /** The log holds what was erased. */
  #mustEmpty = false;
  #cancelIdle: Cancel | null = null;
  /** The last try to move pages failed. */
  #isFailing = false;

  /** @param mover null: the writer does all of it, between two batches */
  constructor(
    store: Pick<HostStore, 'logPages' | 'checkpoint'>,
    clock: Clock,
    problems: Pick<Problems, 'began' | 'ended'>,
    mover: Mover | null,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#problems = problems;
    this.#mover = mover;
  }

  /**
   * After a commit and its replies, outside of any transaction. Never throws: what was not moved stays in the log.
   * @param erased what it erased stands in the log until that is emptied
   */
  committed(erased = false): void {
    this.#written = true;
    this.#mustEmpty ||= erased;
    try {
      this.#look();
    } catch (error) {
      this.#next = this.#pages + checkpointBounds.again;
      this.#failed((error as Error).message);
    }
    if (this.#mover !== null) this.#cancelIdle ??= this.#clock.schedule(idleAfter, () => this.#idle(this.#mover!));
  }

  stop(): void {
    this.#cancelIdle?.();
  }

  #look(): void {
    const { pages, moved } = this.#store.logPages();
    if (pages < this.#pages) {
      this.#next = checkpointBounds.full;
      this.#begun = null;
    }
    this.#pages = pages;
    const left = pages - moved;
    if (pages < this.#next || left === 0) return;
    if (this.#mover === null) {
      if (!this.#checkpoint()) this.#next = pages + checkpointBounds.again;
    } else if (!this.#moving) {
      this.#approach(this.#mover, pages, moved);
    }
  }

  #approach(mover: Mover, pages: number, moved: number): void {
    const begun = this.#begun;
    this.#begun = null;
    if (pages - moved <= checkpointBounds.near || (begun !== null && moved >= begun)) this.#checkpoint();
    // A reader needs what was in the log when the mover began.
    else if (begun !== null) this.#next = pages + checkpointBounds.again;
    else this.#move(mover, false);
  }

  #checkpoint(): boolean {
    const isDone = this.#store.checkpoint();
    this.#worked();
    return isDone;
  }

  #failed(reason: string): void {
    this.#isFailing = true;
    this.#problems.began('checkpoints', reason);
  }

  #worked(): void {
    this.#isFailing = false;
    this.#problems.ended('checkpoints');
  }

  /** Not inside `committed`: a transaction may be open, so the store is not asked. */
  #idle(mover: Mover): void {
    this.#cancelIdle = null;
    const idle = !this.#written && !this.#moving;
    this.#written = false;
    if (idle && this.#pages < checkpointBounds.idle && !this.#isFailing && !this.#mustEmpty) return;
    // What was erased does not wait for a writer who never rests: the mover finds a moment between two batches.
    if (idle || (this.#mustEmpty && !this.#moving)) this.#move(mover, true);
    this.#cancelIdle = this.#clock.schedule(idleAfter, () => this.#idle(mover));
  }

  #move(mover: Mover, empty: boolean): void {
    this.#moving = true;
    this.#begun = empty ? null : this.#pages;
    // What is erased from here on may come too late for this one.
    const owed = this.#mustEmpty;
    if (empty) this.#mustEmpty = false;
    mover.move(checkpointBounds.near, empty, ({ emptied, problem }) => {
      this.#moving = false;
      if (problem === null) this.#worked();
      else this.#failed(problem);
      if (emptied) this.#pages = 0;
      else this.#mustEmpty ||= owed;
    });
  }
}
