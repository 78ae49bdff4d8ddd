// The server that the tests of the dashboard share. Starting one, and compressing the dashboard for the first
// browser that asks, takes longer than most tests. Everybody who comes is a new person with a team of their own.
import { BELIEVES_TESTS } from '../accounts/people.ts';
import { vendorUrls } from '../keys/key-server.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { atWorkerEnd } from '../support/worker-end.ts';

export interface SharedServer {
  server: TestServer;
  vendors: VendorServer;
}

let opened: Promise<SharedServer> | undefined;

async function open(): Promise<SharedServer> {
  const vendors = await startVendorServer();
  atWorkerEnd(() => vendors.close());
  const server = await startTestServer({
    baseUrls: vendorUrls(vendors),
    allowPrivateTargets: true,
    ...BELIEVES_TESTS,
  });
  atWorkerEnd(() => server.close());
  return { server, vendors };
}

export function sharedServer(): Promise<SharedServer> {
  return (opened ??= open());
}
