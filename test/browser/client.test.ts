import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/client-bundle.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

describe.skipIf(chromiumPath === undefined)('the client in a browser', () => {
  const browser = useBrowser();
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage();
    // Any page of the server's own origin: the API is not open to others.
    await page.goto(`${server().url}/healthz`);
    await page.addScriptTag({ content: await bundleClient() });
  });

  const inPage = (code: string): Promise<unknown> => page.evaluate(`(async () => { ${code} })()`);
  const request = JSON.stringify({
    streamId: 'page',
    prompt: 'From a browser',
    model: 'sim-fast',
    maxTokens: 1000,
  });

  it('executes a job and returns its artifact', async () => {
    const { key } = await server().createKey();
    const result = await inPage(`
      const executor = new millrace.CloudExecutor(location.origin, '${key}');
      return executor.execute(${request});`);
    expect(result).toMatchObject({
      success: true,
      artifact: { streamId: 'page', status: 'complete' },
    });
  });

  it('cancels a job after its timeout, in the documented words', async () => {
    const { key } = await server().createKey();
    const result = await inPage(`
      const executor = new millrace.CloudExecutor(location.origin, '${key}', { timeoutMs: 1200 });
      return executor.execute({ ...${request}, prompt: '[[sim:hang]]' });`);
    expect(result).toMatchObject({
      success: false,
      error: 'Cloud execution timed out after 1200ms (job cancelled)',
    });
  });

  it('follows events to the end, and says no to a bad key', async () => {
    const { key } = await server().createKey();
    const text = await inPage(`
      const client = new millrace.MillraceClient(location.origin, '${key}');
      const { jobId } = await client.execute(${request});
      let text = '';
      for await (const event of client.jobEvents(jobId)) {
        if (event.type === 'text') text += event.text;
        if (event.type === 'done') return text === event.job.output && text.length > 0;
      }`);
    expect(text).toBe(true);
    const refused = await inPage(`
      const executor = new millrace.CloudExecutor(location.origin, 'bad');
      return executor.execute(${request});`);
    expect(refused).toMatchObject({ success: false });
  });

  it('verifies a webhook', async () => {
    const verified = await inPage(`
      return millrace.verifyWebhook({
        body: '{"test": 2432232314}',
        headers: {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        now: () => 1614265330000,
      });`);
    expect(verified).toEqual({ test: 2_432_232_314 });
  });
});
