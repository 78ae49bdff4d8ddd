import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

describe.skipIf(chromiumPath === undefined)('the reference page in a browser', () => {
  let server: TestServer;
  const browser = useBrowser();
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
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

  it('finds operations by their words and their path', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/docs`);
    const side = page.getByRole('navigation', { name: 'API reference' });
    await page.keyboard.press('/');
    await page.keyboard.type('cancel job');
    await side.getByText('Cancel a job').waitFor();
    await side.getByText('List runs').waitFor({ state: 'hidden' });
    await page.getByRole('searchbox').fill('no such operation');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('searchbox').fill('/v1/webhooks');
    await side.getByText('Webhooks', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#.*ebhook/);
    await page.getByRole('link', { name: 'Back to the dashboard' }).waitFor();
    await page.close();
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
