import { FrameImpl, Parser } from '@stomp/stompjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Frame, FrameError, FrameParser, type StompVersion, serialiseFrame } from '#src/realtime/frame.ts';

interface Plain {
  command: string;
  headers: Record<string, string>;
  body: string;
}

const plain = (frame: Frame): Plain => ({
  command: frame.command,
  headers: Object.fromEntries(frame.headers),
  body: frame.body.toString(),
});

function parse(chunks: (string | Uint8Array)[], version: StompVersion = '1.2'): Plain[] {
  const parser = new FrameParser();
  parser.version = version;
  const frames: Plain[] = [];
  for (const chunk of chunks) parser.push(chunk, (frame) => frames.push(plain(frame)));
  return frames;
}

/** Frames as the stock client's own parser reads them. */
function parseAsClient(bytes: Uint8Array): Plain[] {
  const frames: Plain[] = [];
  const parser = new Parser(
    (raw) => {
      const { command, headers, body } = FrameImpl.fromRawFrame(raw, true);
      const { 'content-length': _, ...rest } = headers as Record<string, string>;
      frames.push({ command, headers: rest, body });
    },
    () => {},
  );
  parser.parseChunk(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
  return frames;
}

const withoutLength = ({ command, headers, body }: Plain): Plain => {
  const { 'content-length': _, ...rest } = headers;
  return { command, headers: rest, body };
};

const commands = fc.constantFrom('SEND', 'SUBSCRIBE', 'UNSUBSCRIBE', 'ACK', 'MESSAGE', 'RECEIPT', 'ERROR');
// The client does not escape names, trims names and values, and reads a backslash before r, n or c as an escape.
const trimmed = (text: string) => text === text.trim() && !/\\[rnc\\]|\\$|\0/.test(text);
const value = fc.string({ unit: 'grapheme', maxLength: 40 }).filter(trimmed);
const anyText = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0'));
const reserved = new Set(['content-length', '__proto__']);
const name = fc.stringMatching(/^[a-z][a-z-]{0,20}$/).filter((text) => !reserved.has(text));
const body = fc.string({ unit: 'binary', maxLength: 200 });
const clientFrame: fc.Arbitrary<Plain> = fc.record({
  command: commands,
  headers: fc.dictionary(name, value, { maxKeys: 10, noNullPrototype: true }),
  body: body.filter((text) => !text.startsWith('\uFEFF')),
});

describe('frames against the stock client', () => {
  it('are read as the client wrote them', () => {
    fc.assert(
      fc.property(clientFrame, fc.boolean(), (frame, binary) => {
        const written = new FrameImpl({
          command: frame.command,
          headers: frame.headers,
          ...(binary ? { binaryBody: new TextEncoder().encode(frame.body) } : { body: frame.body }),
          escapeHeaderValues: true,
          skipContentLengthHeader: false,
        }).serialize();
        const bytes = typeof written === 'string' ? written : new Uint8Array(written);
        expect(parse([bytes]).map(withoutLength)).toEqual([frame]);
      }),
    );
  });

  it('are written as the client reads them', () => {
    fc.assert(
      fc.property(fc.array(clientFrame, { maxLength: 4 }), (frames) => {
        const bytes = Buffer.concat(
          frames.map((frame) => serialiseFrame(frame.command, Object.entries(frame.headers), frame.body, '1.2')),
        );
        expect(parseAsClient(bytes)).toEqual(frames);
      }),
    );
  });
});

describe('frame parser', () => {
  const written = fc.record({
    command: commands,
    headers: fc.array(fc.tuple(anyText, anyText), { maxLength: 10 }),
    body,
  });

  it('reads back any header and body in 1.2', () => {
    fc.assert(
      fc.property(written, ({ command, headers, body: text }) => {
        const named = headers.filter(([key]) => key !== '' && !reserved.has(key));
        const first = new Map([...named].reverse());
        const [frame] = parse([serialiseFrame(command, named, text, '1.2')]);
        expect(withoutLength(frame as Plain)).toEqual({ command, headers: Object.fromEntries(first), body: text });
      }),
    );
  });

  it('reads the same frames however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(clientFrame, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 1500 }), { maxLength: 30 }),
        (frames, marks) => {
          const bytes = Buffer.concat(
            frames.map((frame) =>
              Buffer.concat([
                serialiseFrame(frame.command, Object.entries(frame.headers), frame.body, '1.2'),
                Buffer.from('\n\r\n'),
              ]),
            ),
          );
          const cuts = [0, ...marks.filter((mark) => mark < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
          expect(parse(chunks)).toEqual(parse([bytes]));
          expect(parse([...bytes].map((byte) => Uint8Array.of(byte))).map(withoutLength)).toEqual(frames);
        },
      ),
    );
  });

  it('answers random bytes with frames or a FrameError', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('S', 'a', ':', '\n', '\0', '\\', '\r', '1'), maxLength: 60 }),
      fc
        .string({ unit: fc.constantFrom('1', '0', '\n', '\0'), maxLength: 20 })
        .map((end) => `A\ncontent-length:${end}`),
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 4 }), fc.constantFrom('1.0', '1.1', '1.2'), (chunks, version) => {
        try {
          parse(chunks, version);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
          refused++;
        }
      }),
    );
    expect(refused).toBeGreaterThan(0);
  });

  it.each([
    ['a header without colon', 'SEND\nabc\n\n\0', 'name:value'],
    ['a header without name', 'SEND\n:abc\n\n\0', 'name:value'],
    ['an unknown escape', 'SEND\na:b\\t\n\n\0', '"\\\\t"'],
    ['a lone backslash', 'SEND\na:b\\\n\n\0', 'escape'],
    ['a NUL among the headers', 'SEND\na:b\0', 'empty line'],
    ['a content-length that is no number', 'SEND\ncontent-length:1e3\n\n\0', 'content-length'],
    ['a body longer than its content-length', 'SEND\ncontent-length:1\n\nab\0', 'longer than its content-length'],
    ['a content-length above the limit', 'SEND\ncontent-length:65536\n\n', '65536 bytes'],
    ['a body above the limit', `SEND\n\n${'x'.repeat(65_536)}`, '65536 bytes'],
    ['a header line above the limit', `SEND\na:${'x'.repeat(8192)}`, '8192 bytes'],
    ['a command above the limit', 'x'.repeat(8193), '8192 bytes'],
    ['headers above the limit in bytes', `SEND\n${`a:${'x'.repeat(8000)}\n`.repeat(9)}`, '65536 bytes'],
    ['more than 64 headers', `SEND\n${'a:b\n'.repeat(65)}`, '64 headers'],
    ['bytes that are not UTF-8', Uint8Array.of(83, 0xff, 10), 'UTF-8'],
  ])('refuses %s', (_, chunk, sentence) => {
    expect(() => parse([chunk])).toThrow(sentence);
  });

  it('gives nothing after the first bad byte', () => {
    const parser = new FrameParser();
    const frames: Frame[] = [];
    const push = (chunk: string) => parser.push(chunk, (frame) => frames.push(frame));
    expect(() => push('SEND\n\n\0SEND\nbad\n')).toThrow(FrameError);
    expect(() => push('SEND\n\n\0')).toThrow(FrameError);
    expect(frames.length).toBe(1);
  });

  it('counts each frame by itself against the limit', () => {
    const frame = `SEND\n\n${'x'.repeat(40_000)}\0${'\n'.repeat(70_000)}`;
    expect(parse([frame, frame]).length).toBe(2);
  });

  it('takes 1.1 escapes without the one for CR', () => {
    expect(parse(['A\na\\cb:c\\nd\\\\\n\n\0'], '1.1')[0]?.headers).toEqual({ 'a:b': 'c\nd\\' });
    expect(() => parse(['A\na:\\r\n\n\0'], '1.1')).toThrow('does not know');
  });

  it('takes 1.0 headers without escapes and trimmed', () => {
    expect(parse(['A\na : b\\n \n\n\0'], '1.0')[0]?.headers).toEqual({ a: 'b\\n' });
  });

  it('leaves the headers of CONNECT as they are', () => {
    expect(parse(['CONNECT\npasscode:a\\tb:c\n\n\0'])[0]?.headers).toEqual({ passcode: 'a\\tb:c' });
  });

  it('never lets a value start another header', () => {
    for (const version of ['1.0', '1.1', '1.2'] as const) {
      for (const command of ['CONNECTED', 'ERROR']) {
        const bytes = serialiseFrame(command, [['a', 'b\r\ncookie:x\0']], '', version);
        expect(Object.keys(parse([bytes], version)[0]?.headers ?? {})).toEqual(['a']);
      }
    }
  });
});
