import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { startApi } from '../_support/api.ts';
import { configWith, startProvider } from '../_support/oidc-provider.ts';

const executablePath = '/usr/bin/chromium';
const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

test.skipIf(!existsSync(executablePath))('a person logs in and out with a browser', { timeout: 60_000 }, async () => {
  await using provider = await startProvider();
  await using api = await startApi({ config: configWith(provider.issuer) });
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    await page.goto(`${api.url}/login?return_to=/docs`);
    await page.fill('input[name=login]', 'ann');
    await page.fill('input[name=password]', 'any');
    await page.click('button[type=submit]');
    await page.click('button[type=submit]');
    await page.waitForURL(`${api.url}/docs`);
    /** What a page of the hub gets, by its cookie alone. */
    const profile = () =>
      page.evaluate(async () => {
        const answer = await fetch('/client.config', { method: 'POST' });
        return [answer.status, ((await answer.json()) as { user_profile?: { name: string } }).user_profile?.name];
      });
    expect(await profile()).toEqual([200, 'Ann']);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.goto(`${api.url}/logout`);
    expect(await profile()).toEqual([401, undefined]);
  } finally {
    await browser.close();
  }
});
