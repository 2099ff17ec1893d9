import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameParser, serialiseFrame } from '#src/realtime/frame.ts';
import { decodeFrames, encodeFrame } from '#web/chat-widget/core/stomp.ts';

const headers = fc
  .dictionary(fc.string({ minLength: 1, unit: fc.constantFrom(...'ab-:\\\n\r é') }), fc.string({ unit: 'binary' }))
  .map((entries) =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, value.replaceAll('\0', '')])),
  );
const body = fc.json();

describe('a STOMP frame of the widget', () => {
  it('is what the hub reads', () => {
    fc.assert(
      fc.property(headers, body, (given, text) => {
        const parser = new FrameParser({ frameBytes: 1 << 20, headers: 100, lineBytes: 1 << 16 });
        parser.version = '1.2';
        const frames: [string, object, string][] = [];
        parser.push(encodeFrame('SEND', given, text), (frame) => {
          frames.push([frame.command, Object.fromEntries(frame.headers), frame.body.toString()]);
        });
        expect(frames).toEqual([['SEND', given, text]]);
      }),
    );
  });

  it('is read as the hub writes it', () => {
    fc.assert(
      fc.property(headers, body, (given, text) => {
        const bytes = serialiseFrame('MESSAGE', Object.entries(given), text, '1.2').toString();
        const [frame] = decodeFrames(bytes);
        expect([frame?.command, frame?.headers, frame?.body]).toEqual([
          'MESSAGE',
          { ...given, 'content-length': String(Buffer.byteLength(text)) },
          text,
        ]);
      }),
    );
  });

  it('comes with others and with heart-beats between them', () => {
    const [one, two] = [encodeFrame('RECEIPT', { 'receipt-id': '1' }), encodeFrame('MESSAGE', { a: 'b' }, '{}')];
    expect(decodeFrames(`\n${one}\n\r\n${two}\n`).map(({ command }) => command)).toEqual(['RECEIPT', 'MESSAGE']);
    expect(decodeFrames('\n')).toEqual([]);
  });

  it('escapes nothing of CONNECT', () => {
    expect(encodeFrame('CONNECT', { Authorization: 'Bearer a:b' })).toBe('CONNECT\nAuthorization:Bearer a:b\n\n\0');
  });
});
