// The documentation and the reference of the API in a browser.
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sharedServer } from '../dashboard/shared-server.ts';
import { violationsOn } from '../dashboard/visitor.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const PHONE = { width: 390, height: 800 };
const DESK = { width: 1440, height: 900 };

describe.skipIf(chromiumPath === undefined)('the documentation in a browser', () => {
  let server: TestServer;
  let page: Page;
  const problems: string[] = [];
  const browser = useBrowser();
  beforeAll(async () => {
    ({ server } = await sharedServer());
    const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(`${server.url}/`)) problems.push(`asked ${request.url()}`);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
  });
  afterEach(() => expect(problems).toEqual([]));

  const open = async (path: string) => {
    await page.goto(server.url + path, { waitUntil: 'load' });
  };
  const overflow = () =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  it('shows every operation, and a link from before leads to its place', async () => {
    verifies('http.docs');
    await open('/docs#op-listwebhooks');
    await page.waitForURL(`${server.url}/docs/api#op-listwebhooks`);
    await page.waitForLoadState();
    // Not somewhere near: what the script changes on the page does not move it away.
    const at = () =>
      page.evaluate(`[document.querySelector('.bar').getBoundingClientRect().top,
        document.getElementById('op-listwebhooks').getBoundingClientRect().top < 200]`);
    await expect.poll(at).toEqual([0, true]);
    // What tabs hide is there, too.
    const text = (await page.textContent('body')) ?? '';
    const { body } = await server.call('GET', '/openapi.json');
    const paths = Object.keys(body['paths'] as object);
    expect(paths.filter((path) => !text.includes(path))).toEqual([]);
  });

  it('filters operations by their words and their path', async () => {
    await open('/docs/api');
    const side = page.locator('nav[aria-label="API reference"]');
    // By role it would be looked for among everything on this long page.
    const filter = page.locator('input[aria-label="Filter operations"]');
    await filter.fill('cancel job');
    await side.getByText('Cancel a job').waitFor();
    await side.getByText('List runs').waitFor({ state: 'hidden' });
    await filter.fill('no such operation');
    await page.getByText('Nothing matches.').waitFor();
    await filter.fill('/v1/webhooks');
    await side.getByText('Webhooks', { exact: true }).waitFor();
    await filter.press('Enter');
    await page.waitForURL(/#.*ebhook/);
  });

  it('searches titles, headings and text with the keyboard alone', async () => {
    await open('/docs');
    await page.keyboard.press('/');
    const search = page.getByRole('combobox', { name: 'Search the documentation' });
    await search.fill('no such words anywhere');
    await page.getByText('Nothing found.').waitFor();
    await search.fill('rotate-secret');
    await page.getByRole('option', { name: /Webhooks › Verify signatures/ }).waitFor();
    await search.fill('cancel a job');
    await page.getByRole('option', { name: /API reference › Cancel a job/ }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await search.fill('learn');
    await page.getByRole('option', { name: /Manifests › learn/, selected: true }).waitFor();
    await search.press('Enter');
    await page.waitForURL(`${server.url}/docs/manifests#learn`);
    const current = page
      .getByRole('navigation', { name: 'Documentation' })
      .locator('[aria-current]');
    expect(await current.innerText()).toBe('Manifests');
    await page.getByRole('navigation', { name: 'On this page' }).getByText('learn').waitFor();
    await page.getByRole('link', { name: /Next/ }).click();
    await page.waitForURL(`${server.url}/docs/running`);
  });

  it('shows one way of doing it at a time, and remembers which', async () => {
    await open('/docs/api#op-getjob');
    const operation = page.locator('#op-getjob');
    await operation.getByRole('tab', { name: 'CLI' }).click();
    await operation.getByText('millrace job get JOB_ID --wait 30s').waitFor();
    await operation.getByText('curl -sS').waitFor({ state: 'hidden' });
    await page.keyboard.press('ArrowLeft');
    await operation.getByText('waitSeconds: 30').waitFor();
    await page.reload();
    await operation.getByRole('tab', { name: 'TypeScript', selected: true }).waitFor();
  });

  it('fits a phone, with the menu behind a button, and is accessible in both themes', async () => {
    await page.setViewportSize(PHONE);
    for (const path of ['/docs', '/docs/manifests', '/docs/api']) {
      await open(path);
      expect(await overflow(), path).toBeLessThanOrEqual(0);
      const menu = page.locator('#menu');
      expect(await menu.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await menu.waitFor({ state: 'visible' });
      if (path === '/docs/manifests') expect(await violationsOn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
    }
    await page.setViewportSize(DESK);
    await open('/docs/concepts');
    expect(await violationsOn(page)).toEqual([]);
    await open('/docs/api-guide');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change theme' }).click();
    expect(await violationsOn(page, ['color-contrast']), 'dark').toEqual([]);
  });
});
