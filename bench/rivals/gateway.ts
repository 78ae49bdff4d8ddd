// Another gateway that passes calls of models on: @portkey-ai/gateway, which keeps no ledger and no budget.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/platform/free-port.ts';
import { NotInstalled } from '../harness/job-system.ts';
import { startProgram } from '../harness/program.ts';

const MAIN = fileURLToPath(
  new URL('../gateway/node_modules/@portkey-ai/gateway/build/start-server.js', import.meta.url),
);

export interface OtherGateway {
  url: string;
  /** What tells it where the vendor is. */
  headers: string;
  stop(): Promise<void>;
}

export async function startOtherGateway(vendorUrl: string): Promise<OtherGateway> {
  if (!existsSync(MAIN)) throw new NotInstalled('node scripts/install-clients.ts gateway');
  const port = await freePort();
  const server = startProgram(process.execPath, [MAIN, `--port=${port}`, '--headless']);
  await server.untilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    headers: `x-portkey-provider: openai\r\nx-portkey-custom-host: ${vendorUrl}/v1\r\n`,
    stop: () => server.stop(),
  };
}
