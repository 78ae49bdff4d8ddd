// Chromium for browser tests, when the machine has one.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const CANDIDATES = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome'];

function findChromium(): string | undefined {
  const found = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
  if (found === undefined) {
    const text = 'No Chromium found: browser tests are skipped (set CHROME_PATH, or install it)';
    if (process.env['MILLRACE_TEST_REQUIRE_BROWSER']) throw new Error(text);
    console.log(text);
  }
  return found;
}

export const chromiumPath = findChromium();

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath!,
    // Without these Chromium tries to reach its maker's servers at every start.
    args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
