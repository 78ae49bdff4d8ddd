import type { Locator } from 'playwright-core';

const MOST_PRESSES = 80;

/** Tab after Tab, as a person without a mouse. */
export async function tabTo(wanted: Locator): Promise<void> {
  const page = wanted.page();
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${String(wanted)}.`);
}
