// Pages for visitors. What a browser has loaded once from a server it keeps, so the next visitor takes over
// the page of one who has left, without anything of theirs in it: a new one costs seconds.
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../support/browser.ts';
import { closePage } from '../support/close-page.ts';
import { PATIENCE_MS } from '../support/patience.ts';

export const VIEWPORT = { width: 1440, height: 900 } as const;
const LIGHT = { colorScheme: 'light', reducedMotion: 'reduce' } as const;

const idle = new Map<string, Page[]>();

export async function takePage(origin: string): Promise<Page> {
  const kept = idle.get(origin)?.pop();
  if (kept !== undefined) return kept;
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: VIEWPORT, ...LIGHT });
  // Ends only what would hang.
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

export async function giveBack(origin: string, page: Page): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  context.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await closePage(other);
  // Its worker ends with the last page of the server.
  await page.goto('about:blank');
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', {
    origin,
    storageTypes: 'local_storage,cookies',
  });
  await session.detach();
  await context.clearCookies();
  await page.setViewportSize(VIEWPORT);
  await page.emulateMedia(LIGHT);
  idle.set(origin, [...(idle.get(origin) ?? []), page]);
}
