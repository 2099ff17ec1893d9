import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure, failureCodes } from '#actors/errors.ts';
import { defect, errorAnswer, meaningOf, statusOf } from '#src/http/errors.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
const documented = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \| (.+) \|$/gm)].map(
  ([, code, status, meaning]) => [code, Number(status), meaning],
);

describe('failures', () => {
  it('have a status and a meaning each, as the page on errors says', () => {
    expect(documented).toEqual(failureCodes.map((code) => [code, statusOf[code], meaningOf[code]]));
    expect(Object.keys(statusOf).sort()).toEqual([...failureCodes].sort());
  });

  it('go out with a sentence, the code and the details', () => {
    const details = [{ path: 'messages[2].content', problem: 'is required' }];
    expect(errorAnswer(new Failure('invalid_request', 'Wrong.', { details }))).toEqual({
      status: 400,
      body: { error: 'Wrong.', code: 'invalid_request', details },
      headers: {},
    });
  });

  it('say in a header when to try again', () => {
    const { status, headers } = errorAnswer(new Failure('overloaded', 'Full.', { retryAfter: 7 }));
    expect([status, headers]).toEqual([503, { 'Retry-After': '7' }]);
  });

  it('show of a defect only the request id', () => {
    const { status, body } = errorAnswer(defect('req-1'));
    expect(status).toBe(500);
    expect(body).toEqual({ error: expect.stringContaining('req-1'), code: 'internal' });
  });
});
