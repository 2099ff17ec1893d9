import { hash } from 'node:crypto';
import { Failure } from '../errors.ts';
import type { FeedPosition } from './feed.ts';

const checksumLength = 8;
const instanceLength = 8;

/** What a cursor is judged by. */
export interface Extent {
  /** Names the data: another hub's cursors mean other events. */
  instance: string;
  /** The oldest position that is kept in each shard, less one: what a cursor may still go on from. */
  start: FeedPosition;
  /** The newest position of each shard. */
  end: FeedPosition;
}

/** Nobody outside knows the whole name of an instance: a cursor can not be made up. */
const checksum = (instance: string, text: string): string =>
  hash('sha256', `parley feed ${instance} ${text}`).slice(0, checksumLength);

/** Opaque text of a position in the feed of an instance. */
export function encodeCursor(instance: string, position: FeedPosition): string {
  const text = `${instance.slice(0, instanceLength)}.${position.join('.')}`;
  return Buffer.from(`${text}~${checksum(instance, text)}`).toString('base64url');
}

/**
 * The position that a cursor names.
 * @throws Failure `invalid_cursor` for one of another instance, or past the end; `cursor_expired` for one whose events
 *   are no longer kept
 */
export function decodeCursor(cursor: string, { instance, start, end }: Extent): FeedPosition {
  const [text = '', sum = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('~');
  const [name = '', ...numbers] = text.split('.');
  const position = numbers.map(Number);
  if (name !== instance.slice(0, instanceLength)) {
    throw new Failure(
      'invalid_cursor',
      'The cursor comes from another instance, or is none. Use one that this one has given.',
    );
  }
  if (sum !== checksum(instance, text) || position.length !== end.length || !position.every(isPosition)) {
    throw new Failure('invalid_cursor', 'The cursor is not one that this hub has given. Use one from an event.');
  }
  if (position.some((at, shard) => at > end[shard]!)) {
    throw new Failure('invalid_cursor', 'The cursor is past the end of the feed: it was given before a restore.');
  }
  if (position.some((at, shard) => at < start[shard]!)) {
    const oldest = encodeCursor(instance, start);
    throw new Failure(
      'cursor_expired',
      `Events behind the cursor are no longer kept. The oldest that works: ${oldest}`,
    );
  }
  return position;
}

const isPosition = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
