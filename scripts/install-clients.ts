// Installs what is tried against the model endpoint and is no part of the project: vendors' own clients (`clients`),
// command-line agents (`agents`) and another gateway to measure beside (`gateway`). Each is a folder with a lockfile of
// its own, so `npm ci` at the root stays as it is.
//
//   node scripts/install-clients.ts clients agents
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const CLEAN = ['ci', '--ignore-scripts'];

const FOLDERS: Readonly<Record<string, { folder: string; command: readonly string[] }>> = {
  clients: { folder: 'test/clients', command: CLEAN },
  // Their scripts link the program of this platform. Not every registry has those of all others, without which
  // `npm ci` refuses a lockfile.
  agents: { folder: 'test/agents', command: ['install', '--no-save'] },
  gateway: { folder: 'bench/gateway', command: CLEAN },
};

function install(name: string): boolean {
  const found = FOLDERS[name];
  if (found === undefined) {
    console.error(`${name} is not one of ${Object.keys(FOLDERS).join(', ')}.`);
    return false;
  }
  const folder = join(ROOT, found.folder);
  const stamp = join(folder, 'node_modules', '.millrace-clients');
  const lockfile = readFileSync(join(folder, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  if (readStamp(stamp) === hash) {
    console.error(`${found.folder} is up to date.`);
    return true;
  }
  // Written last: an install that was cut off is done again.
  rmSync(stamp, { force: true });
  console.error(`Installing ${found.folder}`);
  const args = [...found.command, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    console.error(
      `npm ${found.command[0]} in ${found.folder} did not finish. Fix the problem above and try again.`,
    );
    return false;
  }
  writeFileSync(stamp, hash);
  return true;
}

function readStamp(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error(`Usage: node scripts/install-clients.ts ${Object.keys(FOLDERS).join(' | ')}`);
}
process.exitCode = names.length > 0 && names.every(install) ? 0 : 1;
