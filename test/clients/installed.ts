// The vendors' own clients: packages of this folder, which the project does not install with its own.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function findClients(): boolean {
  const folder = fileURLToPath(new URL('node_modules/@anthropic-ai/sdk', import.meta.url));
  if (existsSync(folder)) return true;
  const text =
    'No clients of vendors found: their tests are skipped (node scripts/install-clients.ts clients installs them)';
  if (process.env['MILLRACE_TEST_REQUIRE_CLIENTS']) throw new Error(text);
  console.log(text);
  return false;
}

export const areInstalled: boolean = findClients();
