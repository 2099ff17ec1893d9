import { describe, expect, it } from 'vitest';
import { startApi } from '../_support/api.ts';
import { systemToken, testConfig } from '../_support/config.ts';

describe('/client.config', () => {
  it.each([true, false])('names who calls, authentication %s', async (authentication) => {
    await using api = await startApi({ config: testConfig({ authentication }) });
    const headers = { Authorization: `Bearer ${systemToken}` };
    const { body } = await api.post<{ user_profile: unknown }>('/client.config', {}, headers);
    expect(body.user_profile).toEqual({ id: expect.stringMatching(/^system-token-[0-9a-f]{4}$/) });
  });

  it('names nobody who shows no token', async () => {
    await using api = await startApi();
    for (const headers of [{}, { Authorization: 'Bearer garbage' }]) {
      const { body } = await api.post<{ user_profile: unknown }>('/client.config', {}, headers);
      expect(body.user_profile).toBeNull();
    }
  });
});
