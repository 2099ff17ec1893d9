import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindTables } from '#actors/kinds.ts';
import { openHostStore } from '#actors/store/host-store.ts';
import { createSeal } from '#actors/store/seal.ts';
import { Secret } from '#src/config/config.ts';
import { sealKeysOf } from '#src/security/seal-key.ts';
import { startApi, type TestApi } from '../_support/api.ts';
import { itemsOf } from '../_support/pages.ts';
import { jwtSecret, sealKeys } from '../_support/config.ts';
import { rowsOf } from './support.ts';

const secrets = {
  signature: 'canary-signature-key',
  previous: 'canary-previous-key',
  header: 'canary-header-value',
  channel: 'canary-channel-token',
};

/** A hub that was given a secret of every kind. */
async function withSecrets(): Promise<TestApi> {
  const api = await startApi();
  const source = await api.addSource('shop');
  const line = { source_channel_id: 'two', name: 'Two', metadata: { token: secrets.channel } };
  await api.post('/sources.channels.create', line, { ...source.authorization, 'Idempotency-Key': 'k' });
  const url = 'https://crm.example/events';
  const headers = { 'X-Api-Key': secrets.header };
  const { body } = await api.post<{ id: string }>('/webhooks.subscribe', {
    url,
    headers,
    signature_key: secrets.previous,
  });
  await api.post('/webhooks.update', { id: body.id, signature_key: secrets.signature });
  return api;
}

const bytesOf = (file: string): string => [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('');

describe('the secrets of a file', () => {
  it('stand nowhere in it', async () => {
    await using api = await withSecrets();
    const text = bytesOf(api.system.file);
    expect([text.includes('crm.example'), text.includes('canary')]).toEqual([true, false]);
  });

  it('are what they were for who has the key', async () => {
    await using api = await withSecrets();
    await api.system.restart();
    const [work] = api.reader.webhookDeliveries.subscriptions(api.system.clock.now());
    expect(work).toMatchObject({
      headers: { 'X-Api-Key': secrets.header },
      signatureKeys: [secrets.signature, secrets.previous],
    });
    const tokens = itemsOf(api.reader.channels.page({ limit: 9, from: null }, {})).map(({ id }) =>
      api.reader.channels.token(id),
    );
    expect(tokens).toContain(secrets.channel);
  });

  it('open in the place for which they were closed only', () => {
    const seal = createSeal(sealKeys.sealKey);
    const closed = seal.close('hush', 'channel.token.1');
    expect(seal.open(closed, 'channel.token.1')).toBe('hush');
    expect(seal.close('hush', 'channel.token.1')).toBe(closed);
    expect(() => seal.open(closed, 'channel.token.2')).toThrow();
    expect(() =>
      createSeal(sealKeysOf({ jwtSecret: new Secret('o') }).sealKey).open(closed, 'channel.token.1'),
    ).toThrow();
    expect(() =>
      seal.open(
        closed.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        'channel.token.1',
      ),
    ).toThrow();
    for (const broken of ['', 'AAAA', closed.slice(0, 24)])
      expect(() => seal.open(broken, 'channel.token.1')).toThrow();
  });
});

describe('a file under another secret', () => {
  const changed = new Secret('another secret that is long enough');
  const open = (file: string, keys: { sealKey?: Uint8Array; previousSealKey?: Uint8Array | undefined }) =>
    openHostStore({ file, durability: 'normal', shards: 1, tables: kindTables, ...keys }).close();

  it('is not opened, and says what to do', async () => {
    await using api = await withSecrets();
    await api.system.stop();
    const before = rowsOf(api.system.file);
    expect(() => open(api.system.file, sealKeysOf({ jwtSecret: changed }))).toThrow(/security\.previousJwtSecret/);
    expect(rowsOf(api.system.file)).toEqual(before);
  });

  it('is moved to the new one by the one before, and back', async () => {
    await using api = await withSecrets();
    await api.system.stop();
    const before = rowsOf(api.system.file);
    open(api.system.file, sealKeysOf({ jwtSecret: changed, previousJwtSecret: new Secret(jwtSecret) }));
    const moved = rowsOf(api.system.file);
    expect(moved.channel.map(({ token }) => token)).not.toEqual(before.channel.map(({ token }) => token));
    expect(() => open(api.system.file, sealKeys)).toThrow(/security\.previousJwtSecret/);
    open(api.system.file, sealKeysOf({ jwtSecret: new Secret(jwtSecret), previousJwtSecret: changed }));
    expect(rowsOf(api.system.file)).toEqual(before);
  });

  it('is encrypted when it was not', async () => {
    await using api = await withSecrets();
    await api.system.stop();
    const sealed = rowsOf(api.system.file);
    const db = openHostStore({ file: api.system.file, durability: 'normal', shards: 1, tables: kindTables });
    const seal = createSeal(sealKeys.sealKey);
    db.prepare((connection) => {
      for (const { key, token } of sealed.channel.filter((row) => row['token'] !== null)) {
        const plain = seal.open(token as string, `channel.token.${key}`);
        connection.prepare('UPDATE channel SET token = ? WHERE key = ?').run(plain, key);
      }
      for (const [table, columns] of [
        ['webhook_subscription', ['headers', 'signature_key', 'previous_key']],
        ['idempotency_key', ['answer']],
      ] as const) {
        for (const row of sealed[table]) {
          for (const column of columns.filter((name) => row[name] !== null)) {
            const plain = seal.open(row[column] as string, `${table}.${column}.${row['key']}`);
            connection.prepare(`UPDATE ${table} SET ${column} = ? WHERE key = ?`).run(plain, row['key']);
          }
        }
      }
      connection.prepare("DELETE FROM meta WHERE name = 'seal'").run();
    });
    db.close();
    open(api.system.file, sealKeys);
    expect(rowsOf(api.system.file)).toEqual(sealed);
  });
});
