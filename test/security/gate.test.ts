import { describe, expect, it } from 'vitest';
import { createGate, type GateRules } from '#src/security/gate.ts';

const rulesWith = (allowedOrigins: readonly string[]): GateRules => ({
  server: { host: '127.0.0.1', publicUrl: 'https://hub.example' },
  security: { authentication: true, allowUnauthenticated: false, allowedOrigins: [...allowedOrigins] },
});

const fromAfar = { host: 'hub.local:8080', origin: 'https://shop.example' };

const admit = (rules: GateRules, headers: Record<string, string>, url = '/'): string => {
  try {
    return createGate(rules).admit('api', { url, headers, rawHeaders: Object.entries(headers).flat() });
  } catch {
    return 'refused';
  }
};

describe('the origin of a request', () => {
  it.each([
    [undefined, [], 'own'],
    ['http://hub.local:8080', [], 'own'],
    ['https://hub.example', [], 'own'],
    ['http://hub.example', [], 'refused'],
    ['http://hub.local', [], 'refused'],
    ['https://app.example', [], 'refused'],
    ['https://app.example', ['https://app.example'], 'named'],
    ['https://app.example', ['*'], 'anyone'],
    ['https://app.example', ['*', 'https://app.example'], 'named'],
    ['https://app.example.evil.example', ['https://app.example'], 'refused'],
    ['null', [], 'refused'],
    ['null', ['*'], 'anyone'],
    ['no url', ['https://app.example'], 'refused'],
  ] as const)('%s with %j allowed is %s', (origin, allowed, verdict) => {
    const headers = { host: 'hub.local:8080', ...(origin !== undefined && { origin }) };
    expect(admit(rulesWith(allowed), headers)).toBe(verdict);
  });
});

describe('what visitors come for', () => {
  it.each(['/chatplugin.authenticate', '/chatplugin/ui/s.js?v=1', '/ws.chatplugin', '/ws.chatplugin?token=x'])(
    '%s is open to pages of any origin',
    (url) => {
      expect(admit(rulesWith([]), fromAfar, url)).toBe('anyone');
    },
  );

  it.each([
    ...['/', '/channels.list', '/channels.chatplugin.connect', '/chatplugin', '/ws.chatplugins', '/ws.communication'],
    ...['/chatplugin/../channels.list', '/chatplugin/%2e%2e/channels.list', '/chatplugin/.%2E/ws.communication'],
    ...['//evil.example/chatplugin.send', '/?/chatplugin.send', 'http://x/chatplugin.send'],
  ])('%s is not', (url) => {
    expect(admit(rulesWith([]), fromAfar, url)).toBe('refused');
  });
});

describe('the host of a request', () => {
  const open: GateRules = {
    server: { host: 'hub.internal', publicUrl: 'https://hub.example/x' },
    security: { authentication: false, allowUnauthenticated: false, allowedOrigins: [] },
  };

  it.each([
    ['localhost:8080', 'own'],
    ['a.localhost', 'own'],
    ['LOCALHOST', 'own'],
    ['127.0.0.1', 'own'],
    ['[::1]:8080', 'own'],
    ['10.1.2.3:80', 'own'],
    ['hub.internal', 'own'],
    ['hub.example:443', 'own'],
    ['', 'refused'],
    ['localhost.evil.example', 'refused'],
    ['127.0.0.1.evil.example', 'refused'],
    ['hub.example.evil.example', 'refused'],
    ['evil.example', 'refused'],
    ['127.0.0.1:1@evil.example', 'refused'],
  ])('%j is %s', (host, verdict) => {
    expect(admit(open, { host })).toBe(verdict);
  });
});
