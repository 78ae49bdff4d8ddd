// A call that is stopped when its answer is there: what has arrived is read before the connection is closed.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callModel } from '../../src/engine/model-call.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { startNode } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { VENDORS } from '../support/vendor/index.ts';
import type { Vendor } from '../support/vendor/index.ts';
import { connectVendorServer } from '../support/vendor/remote.ts';
import type { RemoteVendorServer } from '../support/vendor/remote.ts';
import { MODELS } from './vendor-jobs.ts';

const MAIN = fileURLToPath(new URL('../support/vendor/main.ts', import.meta.url));
const http = createVendorHttp();
let vendorProcess: NodeProcess | undefined;
let vendors: RemoteVendorServer;

// In a process of its own: it answers while this one is busy.
beforeAll(async () => {
  vendorProcess = startNode(MAIN, ['--with-parent']);
  const [line] = await vendorProcess.waitFor(/^\{"url".*\}$/m);
  vendors = connectVendorServer((JSON.parse(line) as { url: string }).url);
});
afterAll(async () => {
  await http.close();
  await vendorProcess?.kill('SIGTERM');
});

function providerOf(vendor: Vendor): Provider {
  const custom = vendor === 'compatible';
  return createVendor({
    endpoint: {
      provider: custom ? 'openai' : vendor,
      baseUrl: vendors.url(vendor),
      custom,
      http,
    },
    prices: loadPrices(undefined),
    scrub: (text) => text,
    now: Date.now,
  });
}

function call(vendor: Vendor, prompt: string, onFirstText: (stop: () => void) => void) {
  const controller = new AbortController();
  let isFirst = true;
  const request = {
    ownerId: 'user_1',
    streamId: 'a',
    model: MODELS[vendor].replace(/^openai:/, ''),
    prompt,
    maxTokens: 1000,
    apiKey: 'some-key',
    signal: controller.signal,
  };
  return callModel(providerOf(vendor), request, () => {
    if (isFirst) setTimeout(() => onFirstText(() => controller.abort('lost')));
    isFirst = false;
  });
}

/** As long as a machine may stand still, or a worker be busy: until the vendor has sent it all. */
function stayBusyUntilSent(id: string): void {
  const script = `for (;;) {
    const calls = await (await fetch('${vendors.origin}/_control/calls?id=${id}')).json();
    if (calls[0]?.finished) break;
  }`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
}

describe.each(VENDORS)('%s', (vendor: Vendor) => {
  it('an answer that has arrived when its call is stopped is used', async () => {
    const id = `whole-${vendor}`;
    const prompt = `Go. [[vendor:reply id=${id} input=30 chunks=6 pace=60]]`;
    const outcome = await call(vendor, prompt, (stop) => {
      stayBusyUntilSent(id);
      stop();
    });
    expect(outcome).toMatchObject({
      kind: 'completed',
      usage: { input: 30, output: 6, estimated: false },
    });
  });

  it('an answer that is under way is stopped', async () => {
    const id = `half-${vendor}`;
    const prompt = `Go. [[vendor:reply id=${id} chunks=900 pace=200]]`;
    const outcome = await call(vendor, prompt, (stop) => stop());
    expect(outcome).toMatchObject({ kind: 'aborted', usage: { estimated: true } });
  });
});
