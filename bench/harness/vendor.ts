// The scripted vendor server as a process of its own, so that its work is not counted as ours.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectVendorServer } from '../../test/support/vendor/index.ts';
import type { RemoteVendorServer } from '../../test/support/vendor/index.ts';

const MAIN = fileURLToPath(new URL('../../test/support/vendor/main.ts', import.meta.url));

export interface VendorProcess extends RemoteVendorServer {
  stop(): Promise<void>;
}

export async function startVendor(): Promise<VendorProcess> {
  const child = spawn(process.execPath, [MAIN, '--with-parent'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error('The vendor server ended before it was ready');
    }),
  ])) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    ...connectVendorServer(url),
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** What a server under measurement needs to call it. */
export function vendorSettings(vendor: RemoteVendorServer): NodeJS.ProcessEnv {
  return {
    MILLRACE_ANTHROPIC_BASE_URL: vendor.url('anthropic'),
    MILLRACE_ANTHROPIC_API_KEY: 'sk-ant-bench-key',
  };
}
