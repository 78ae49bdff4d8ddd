// Chromium for browser tests, when the machine has one: one for all files that a process runs.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll } from 'vitest';
import { atWorkerEnd } from './worker-end.ts';
import { PATIENCE_MS } from './patience.ts';

const CANDIDATES = [
  process.env['CHROME_PATH'],
  // Without the windows that nobody sees: a sixth less to compute.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
];

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

let opened: Promise<Browser> | undefined;

async function open(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    // Without these Chromium tries to reach its maker's servers at every start.
    args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  atWorkerEnd(() => browser.close());
  return browser;
}

/** Nobody closes it: close the contexts that you have opened in it. */
export function sharedBrowser(): Promise<Browser> {
  return (opened ??= open());
}

/** For a file of tests: what it opens is closed with it. */
export function useBrowser(): Pick<Browser, 'newContext' | 'newPage'> {
  const contexts: BrowserContext[] = [];
  afterAll(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  const newContext: Browser['newContext'] = async (options) => {
    const context = await (await sharedBrowser()).newContext(options);
    // Ends only what would hang.
    context.setDefaultTimeout(PATIENCE_MS);
    contexts.push(context);
    return context;
  };
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() };
}
