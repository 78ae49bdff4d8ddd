import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** One that nobody listens on: a node keeps it when it is started again. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
