import type { Connection } from '../store/database.ts';

interface Link {
  previous: number;
  skip: number | null;
}

/** Keys of an actor's kept turns behind a key, oldest first. `last`: its newest turn. */
export type ActorTurns = (last: number, after: number, limit: number) => number[];

/**
 * Walks an actor's turns, which are linked backwards only. Pointers over 64 turns lead near the wanted end, so that the
 * beginning of a long history costs a sixty-fourth of its length.
 */
export function actorTurns(db: Connection): ActorTurns {
  const statement = db.prepare('SELECT previous, skip FROM journal WHERE key = ?');
  const linkOf = (key: number): Link | undefined => statement.get(key) as Link | undefined;

  /** From a key back to, and without, a bound; newest first. Ends also at a turn with a pointer, and at what was pruned. */
  const stretch = (from: number, bound: number): { keys: number[]; pointed: Link | null; next: number } => {
    const keys: number[] = [];
    for (let key = from; key > bound; ) {
      const link = linkOf(key);
      if (link === undefined) return { keys, pointed: null, next: 0 };
      keys.push(key);
      if (link.skip !== null) return { keys, pointed: link, next: key };
      key = link.previous;
    }
    return { keys, pointed: null, next: 0 };
  };

  return (last, after, limit) => {
    const newest = stretch(last, after);
    /** Turns with pointers, newest first: behind each lies a stretch of 64. */
    const pointers: number[] = [];
    for (let link = newest.pointed, key = newest.next; link != null; ) {
      pointers.push(key);
      key = link.skip!;
      if (key <= after) break;
      link = linkOf(key) ?? null;
    }
    const found: number[] = [];
    for (let i = pointers.length - 1; i >= 0 && found.length < limit; i--) {
      const link = linkOf(pointers[i]!)!;
      found.push(...stretch(link.previous, Math.max(after, pointers[i + 1] ?? 0)).keys.reverse(), pointers[i]!);
    }
    const rest = newest.pointed === null ? newest.keys : newest.keys.slice(0, -1);
    return [...found, ...rest.reverse()].slice(0, limit);
  };
}
