import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's, which `.ci/run` installs. */
const executablePath = '/usr/bin/chromium';

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Whether there is a browser to test with: `describe.skipIf(!hasBrowser)`. */
export const hasBrowser = existsSync(executablePath);

/** Starts Chromium with a fresh profile. Disposing of it ends it: `await using browser = await startBrowser()`. */
export const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args });
