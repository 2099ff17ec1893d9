import { describe, expect, it } from 'vitest';
import { sourceActorId } from '#actors/ids.ts';
import { operations } from '#src/http/operations.ts';
import { refusalOf, startApi } from '../_support/api.ts';
import { testConfig } from '../_support/config.ts';

describe('every operation', () => {
  it.each([
    ['source-api', 'integration.source-api.enabled'],
    ['webhook', 'integration.webhook.enabled'],
    ['contacts', 'integration.contacts.enabled'],
  ] as const)('of %s answers 409 while that is off', async (feature, key) => {
    const config = testConfig();
    config.integration[feature].enabled = false;
    await using api = await startApi({ config });
    // A caller of either scope gets as far as the feature.
    const { issuedAt } = await api.commands.send('source', sourceActorId('shop'), 'source.create', {
      sourceId: 'shop',
    });
    const source = { Authorization: `Bearer ${await api.tokenOf('shop', issuedAt)}` };
    const concerned = operations.filter((operation) => operation.feature === feature);
    expect(concerned.length).toBeGreaterThan(3);
    for (const { path, auth, example } of concerned) {
      const answer = await api.post(path, example, auth === 'source' ? source : {});
      expect([path, ...refusalOf(answer)]).toEqual([path, 409, 'feature_disabled']);
      expect(answer.body.error).toContain(key);
    }
    expect(api.sent).toEqual([]);
  });
});
