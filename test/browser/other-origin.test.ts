// A page of another origin, in a real browser.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/client-bundle.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

async function startPages(): Promise<{ server: Server; origin: string }> {
  const script = await bundleClient();
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Another origin</title><script>${script}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(chromiumPath === undefined)('a page of another origin', () => {
  const browser = useBrowser();
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;
  let named: TestServer;
  let open: TestServer;
  let closed: TestServer;

  beforeAll(async () => {
    pages = await startPages();
    [named, open, closed] = await Promise.all([
      startTestServer({ corsOrigins: ['https://example.com', pages.origin] }),
      startTestServer({ corsOrigins: ['*'] }),
      startTestServer(),
    ]);
    page = await browser.newPage();
    await page.goto(pages.origin);
  });
  afterAll(async () => {
    await Promise.all([named.close(), open.close(), closed.close()]);
    await new Promise((resolve) => pages.server.close(resolve));
  });

  const inPage = (code: string): Promise<unknown> => page.evaluate(`(async () => { ${code} })()`);
  const request = JSON.stringify({
    streamId: 'page',
    prompt: 'From a browser',
    model: 'sim-fast',
    maxTokens: 1000,
  });

  it.each([
    ['named', () => named],
    ['any', () => open],
  ])('that may call (%s): executes, follows events and reads headers', async (_how, server) => {
    verifies('http.cors.named');
    const { key } = await server().createKey();
    const { url } = server();
    const result = await inPage(`
      return new millrace.CloudExecutor('${url}', '${key}').execute(${request});`);
    expect(result).toMatchObject({ success: true, artifact: { streamId: 'page' } });
    const text = await inPage(`
      const client = new millrace.MillraceClient('${url}', '${key}');
      const { jobId } = await client.execute(${request});
      let text = '';
      for await (const event of client.jobEvents(jobId)) {
        if (event.type === 'text') text += event.text;
        if (event.type === 'done') return text === event.job.output && text.length > 0;
      }`);
    expect(text).toBe(true);
    const headers = await inPage(`
      const response = await fetch('${url}/api/v1/execute', {
        method: 'POST',
        headers: { 'x-api-key': '${key}', 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify(${request}),
      });
      return Object.fromEntries(response.headers);`);
    expect(headers).toMatchObject({
      location: expect.stringContaining('/api/v1/job/'),
      'x-request-id': expect.stringMatching(/^req_/),
      'ratelimit-limit': expect.any(String),
      'millrace-long-poll': '60',
    });
  });

  it('that may call can read why it was refused', async () => {
    const status = await inPage(`
      const response = await fetch('${named.url}/api/v1/history', { headers: { 'x-api-key': 'bad' } });
      return { status: response.status, body: await response.json() };`);
    expect(status).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  });

  it('that is not named can neither call nor read', async () => {
    verifies('http.cors.none');
    const { key } = await closed.createKey();
    const before = await closed.call('GET', '/api/v1/history', { key });
    const outcome = await inPage(`
      const attempt = (init) => fetch('${closed.url}/api/v1/history', init).then(() => 'read', () => 'refused');
      return [await attempt({}), await attempt({ headers: { 'x-api-key': '${key}' } })];`);
    expect(outcome).toEqual(['refused', 'refused']);
    expect(before.headers.get('access-control-allow-origin')).toBeNull();
  });
});
