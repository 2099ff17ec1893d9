import { describe, expect, it } from 'vitest';
import { forged, forgedHandshakes, odd } from '../graph/forgeries.ts';
import { shaken } from '../graph/platform.ts';
import { cases, connector, route, update } from './cases.ts';

const path = '/cloudmsg';
const content = update(cases[0]![1]);
const { verify, split, read } = route();
const handshake = connector().routes.find(({ method }) => method === 'GET')!;

describe('an update of the cloud', async () => {
  it.each(await forged(path, content))('with %s is refused', (_title, request) => {
    expect(verify(request)).toBe(false);
  });

  it.each(await odd(path, content))('with %s is genuine, and read', (_title, request) => {
    expect(verify(request)).toBe(true);
    expect(split(request).flatMap((part) => read(part)?.messages ?? [])).toHaveLength(1);
  });
});

describe('the handshake', () => {
  it('gives the challenge back', () => {
    expect(handshake.verify(shaken(path))).toBe(true);
    expect(handshake.answer!(shaken(path))).toEqual({ contentType: 'text/plain', body: '1158201444' });
  });

  it.each(forgedHandshakes(path))('with %s is refused', (_title, request) => {
    expect(handshake.verify(request)).toBe(false);
  });
});
