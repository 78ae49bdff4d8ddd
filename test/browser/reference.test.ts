import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

describe.skipIf(chromiumPath === undefined)('the reference page in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('shows every operation, asks nobody else for anything and logs no error', async () => {
    verifies('http.docs');
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) {
        elsewhere.push(request.url());
      }
    });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    // Not `networkidle`: on a busy machine the network is idle before the page is parsed to its end.
    await page.goto(`${server.url}/docs`, { waitUntil: 'load' });
    const text = await page.innerText('body');
    const { body } = await server.call('GET', '/openapi.json');
    const paths = Object.keys(body['paths'] as object);
    expect(paths.filter((path) => !text.includes(path))).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'fits a phone without scrolling sideways in %s',
    async (scheme) => {
      const page = await browser.newPage({
        viewport: { width: 390, height: 800 },
        colorScheme: scheme,
      });
      await page.goto(`${server.url}/docs`);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow).toBeLessThanOrEqual(0);
    },
  );
});
