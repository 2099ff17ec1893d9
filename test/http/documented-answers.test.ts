import { describe, expect, it } from 'vitest';
import { undocumentedIn } from '../_support/documented-answers.ts';

const source = { source_id: 'shop', token: 'a.b.c' };

describe('an answer is held against the document', () => {
  it.each([
    ['the documented body', '/sources.create', 200, source],
    ['a field that is newer than the client', '/sources.create', 200, { ...source, colour: 'red' }],
    ['no body where there is none', '/sources.delete', 202, null],
    ['that of an alias', '/conversations.setState', 204, null],
    ['a failure', '/messages.list', 404, { error: 'There is none.', code: 'not_found' }],
    ['what no operation answers', '/nothing', 418, {}],
  ])('%s is fine', (_, path, status, body) => {
    expect(undocumentedIn(path, status, body)).toBeNull();
  });

  it.each([
    ['a field of another type', '/sources.create', 200, { ...source, name: 7 }],
    ['a field that is missing', '/sources.create', 200, { source_id: 'shop' }],
    ['another status', '/sources.create', 204, null],
    ['a body where there is none', '/sources.delete', 202, {}],
    ['no body where there is one', '/sources.list', 200, null],
    ['a code that is not in the list', '/messages.list', 404, { error: 'No.', code: 'lost' }],
    [
      'an event with the payload of another type',
      '/events.list',
      200,
      {
        data: [
          {
            ...{ type: 'metadata.updated', subject: { type: 'channel', id: 'c' }, timestamp: 1, seq: 1, cursor: 'c' },
            payload: { id: 'c', source: 'shop', source_channel_id: 'line', metadata: {}, connected: true },
          },
        ],
        next_cursor: 'c',
      },
    ],
  ])('%s is not', (_, path, status, body) => {
    expect(undocumentedIn(path, status, body)).toContain(path);
  });
});
