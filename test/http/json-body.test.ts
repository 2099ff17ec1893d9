import { describe, expect, it } from 'vitest';
import { isJson, nestingLimit, parseBody } from '#src/http/json-body.ts';
import { codeOf } from '../_support/failures.ts';

const json = 'application/json';
const parsed = (text: string | Buffer, type: string | undefined = json): unknown =>
  parseBody(Buffer.from(text), { 'content-type': type });
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('JSON bodies', () => {
  it('may be empty whatever the type', () => {
    for (const type of [json, undefined, 'text/plain']) expect(parsed('', type)).toEqual({});
  });

  it('need a JSON type', async () => {
    for (const type of [json, 'application/json; charset=utf-8', 'Application/JSON', 'application/ld+json']) {
      expect(isJson(type), type).toBe(true);
    }
    for (const type of ['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', '']) {
      expect(await codeOf(() => parsed('{}', type)), type).toBe('unsupported_media_type');
    }
    expect(await codeOf(() => parseBody(Buffer.from('{}'), {}))).toBe('unsupported_media_type');
  });

  it('come as they are, not compressed', async () => {
    const sent = (coding: string) => parseBody(Buffer.from('{}'), { 'content-type': json, 'content-encoding': coding });
    for (const coding of ['gzip', 'br', 'gzip, identity']) {
      expect(await codeOf(() => sent(coding)), coding).toBe('unsupported_media_type');
    }
    expect(sent('Identity')).toEqual({});
  });

  it('are refused with the position of the mistake', () => {
    const mistakes: [text: string, position: number][] = [
      ['{"a": 1 "b"}', 8],
      ['{"a":', 5],
      ['{"a":x}', 5],
      ['["\\"[", [], {}, -1, true, nul]', 26],
      ['[1, 2,]', 6],
      ['[ ,1]', 2],
      ['{"a" : }', 7],
      ['nothing', 0],
      [`["${'long '.repeat(20)}", undefined]`, 105],
    ];
    for (const [text, position] of mistakes) {
      expect(() => parsed(text), text).toThrow(new RegExp(`at position ${position}\\.$`));
    }
  });

  it('are refused when they are no UTF-8', async () => {
    const latin1 = Buffer.from('{"a":"\xe9"}', 'latin1');
    expect(await codeOf(() => parsed(latin1))).toBe('malformed_json');
  });

  it('are refused with half characters in values and keys', async () => {
    for (const text of ['{"a":"\\ud800"}', '{"\\udfff":1}', '[["x\\ud83d"]]']) {
      expect(await codeOf(() => parsed(text)), text).toBe('invalid_request');
    }
    expect(parsed('"\\ud83d\\ude00"')).toBe('\u{1f600}');
  });

  it('nest up to the limit', async () => {
    expect(await codeOf(() => parsed(nested(nestingLimit)))).toBe('none');
    expect(await codeOf(() => parsed(nested(nestingLimit + 1)))).toBe('invalid_request');
    expect(await codeOf(() => parsed(nested(500_000)))).toBe('invalid_request');
    expect(await codeOf(() => parsed('{"a":'.repeat(nestingLimit + 1)))).toBe('invalid_request');
    const brackets = JSON.stringify(`\\"${'[{'.repeat(nestingLimit)}`);
    expect(await codeOf(() => parsed(brackets))).toBe('none');
    expect(await codeOf(() => parsed(`[${'[{}],'.repeat(nestingLimit)}1]`))).toBe('none');
  });

  it('leave prototypes alone', () => {
    const value = parsed('{"__proto__": {"polluted": true}}') as object;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
