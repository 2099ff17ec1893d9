import { describe, expect, it } from 'vitest';
import { judgeOrigin } from '#src/realtime/origin.ts';
import { configWith } from './support.ts';

describe('origin of an upgrade', () => {
  it.each([
    [undefined, [], 'own'],
    ['http://hub.local:8080', [], 'own'],
    ['https://hub.example', [], 'own'],
    ['http://hub.example', [], 'refused'],
    ['http://hub.local', [], 'refused'],
    ['https://app.example', [], 'refused'],
    ['https://app.example', ['https://app.example'], 'own'],
    ['https://app.example', ['*'], 'anyone'],
    ['https://app.example', ['*', 'https://app.example'], 'own'],
    ['https://app.example.evil.example', ['https://app.example'], 'refused'],
    ['null', [], 'refused'],
    ['null', ['*'], 'anyone'],
    ['no url', ['https://app.example'], 'refused'],
  ] as const)('%s with %j allowed is %s', (origin, allowed, verdict) => {
    const headers = { host: 'hub.local:8080', ...(origin !== undefined && { origin }) };
    expect(judgeOrigin(headers, configWith([...allowed]))).toBe(verdict);
  });
});
