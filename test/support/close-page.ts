// Closing a tab that may be on its way to another page. Chromium confirms a close that meets the moment at which
// the new page takes over, and then forgets it (crbug.com/536385539); Playwright asks once, and waits forever.
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const ASK_AGAIN_MS = 1000;

export async function closePage(page: Page): Promise<void> {
  if (page.isClosed()) return;
  const context = page.context();
  // Both are asked for before: a page that is being closed takes no new session.
  const own = await context.newCDPSession(page);
  const { targetInfo } = await own.send('Target.getTargetInfo');
  const browser = await context.browser()!.newBrowserCDPSession();
  const isClosed = page.close().then(() => true);
  while (!(await Promise.race([isClosed, delay(ASK_AGAIN_MS, false)]))) {
    // Refused when it has closed meanwhile.
    const { targetId } = targetInfo;
    await browser.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }
  await browser.detach();
}
