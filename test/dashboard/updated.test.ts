import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { sharedServer } from './shared-server.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const isStart = ({ pathname }: URL) => pathname === '/';
const PART = '**/assets/palette-*.js';
const GONE = { status: 404, json: { error: { code: 'NOT_FOUND', message: 'no such file' } } };

describe.skipIf(chromiumPath === undefined)('a page during an update of the server', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await newVisitor((await sharedServer()).server);
  });
  afterAll(() => visitor?.close());

  async function openMarked(): Promise<void> {
    const { page } = visitor;
    await visitor.open('/runs');
    await page.getByRole('button', { name: /Search or jump/ }).waitFor();
    await page.evaluate('window.isFirst = true');
    await page.route(PART, (route) => route.fulfill(GONE), { times: 1 });
  }

  it('stays where it is when a part cannot be loaded for another reason', async () => {
    const { page } = visitor;
    await openMarked();
    const asked = page.waitForResponse((response) => isStart(new URL(response.url())));
    await page.keyboard.press('Control+k');
    await (await asked).finished();
    await page.getByText('A part of the page could not be fetched').waitFor();
    expect(await page.evaluate('window.isFirst')).toBe(true);
  });

  it('is loaded anew when a part of it is gone', async () => {
    const { page } = visitor;
    await openMarked();
    // What the new version serves. The page itself is asked for again, and has all its parts.
    const update = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/assets\/index-[^"]+\.js/, 'assets/new.js');
      await route.fulfill({ response, body });
    };
    await page.route(isStart, update, { times: 1 });
    await page.keyboard.press('Control+k');
    // While it is loaded there is nothing to ask.
    const isFirst = () => page.evaluate('window.isFirst').catch(() => true);
    await expect.poll(isFirst).toBeUndefined();
    await page.getByRole('button', { name: /Search or jump/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command' }).waitFor();
  });
});
