import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../_support/api.ts';
import { hasBrowser, startBrowser } from '../_support/browser.ts';
import { configWith, startProvider } from '../_support/oidc-provider.ts';

/** Begins a login at the hub and fills in the forms of the provider. */
async function logIn(page: Page, api: TestApi, account: string): Promise<void> {
  await page.goto(`${api.url}/login?return_to=/docs`);
  await page.fill('input[name=login]', account);
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.click('button[type=submit]');
}

/** What a page of the hub gets by its cookie alone. */
const profileIn = (page: Page) =>
  page.evaluate(async () => {
    const answer = await fetch('/client.config', { method: 'POST' });
    return [answer.status, ((await answer.json()) as { user_profile?: { name: string } }).user_profile?.name];
  });

/** How bright a colour is, as WCAG counts it. @param color `rgb(18, 50, 74)` */
function brightnessOf(color: string): number {
  const parts = color.match(/\d+/g)!.map((part) => Number(part) / 255);
  const [red, green, blue] = parts.map((part) => (part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05;
}

/** The contrast between the text of one element of a page and the ground of another. */
async function contrastIn(page: Page, text: string, ground: string): Promise<number> {
  const shown = (element: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${element}')).${property}`);
  const both = [await shown(text, 'color'), await shown(ground, 'backgroundColor')].map(brightnessOf);
  return Math.max(...both) / Math.min(...both);
}

describe.skipIf(!hasBrowser)('in a browser', { timeout: 60_000 }, () => {
  test('a person logs in and out', async () => {
    await using provider = await startProvider();
    await using api = await startApi({ config: configWith(provider.issuer) });
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await logIn(page, api, 'ann');
    await page.waitForURL(`${api.url}/docs`);
    expect(await profileIn(page)).toEqual([200, 'Ann']);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.goto(`${api.url}/logout`);
    expect(await profileIn(page)).toEqual([401, undefined]);
  });

  test('who may not log in reads why, by day and by night', async () => {
    await using provider = await startProvider();
    await using api = await startApi({ config: configWith(provider.issuer) });
    await using browser = await startBrowser();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (line) => complaints.push(line.text()));
    await logIn(page, api, 'eve');
    await page.waitForURL(`${api.url}/login/callback?*`);
    expect(await page.textContent('main p')).toContain('not among those allowed');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [text, ground] of [
        ['h1', 'main'],
        ['main p', 'main'],
        ['main a', 'main a'],
      ] as const) {
        expect([colorScheme, text, (await contrastIn(page, text, ground)) >= 4.5]).toEqual([colorScheme, text, true]);
      }
    }
    expect(complaints.filter((line) => line.includes('Content Security Policy'))).toEqual([]);
    expect(await page.getAttribute('main a', 'href')).toBe('/login?prompt=select_account');
  });
});
