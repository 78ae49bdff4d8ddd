// Makes a checkout ready to run: installs what the lockfile names when node_modules is missing or
// stale, and completes the pinned Node when npm skipped install scripts. Plain JavaScript without
// dependencies, because it is the one file that runs on the machine's own (older) Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.millrace-setup');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options });
  return { ok: result.status === 0, text: `${result.stdout ?? ''}${result.stderr ?? ''}` };
}

function pinnedNodeWorks() {
  return existsSync(pinnedNode) && run(pinnedNode, ['--version']).text.startsWith('v24.');
}

function isReady() {
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  return stamp === lockHash && pinnedNodeWorks();
}

if (!isReady()) {
  console.error('Setting up: installing dependencies (this happens once)');
  // Engine warnings are about the Node that runs npm; the product runs on the pinned one.
  const install = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (!install.ok) {
    console.error(install.text);
    console.error('Setup failed: `npm ci` did not finish. Fix the problem above and try again.');
    process.exit(1);
  }
  if (!pinnedNodeWorks()) {
    run(process.execPath, ['installArchSpecificPackage.js'], {
      cwd: join(root, 'node_modules', 'node'),
      env: { ...process.env, npm_config_global: 'false' },
    });
  }
  if (!pinnedNodeWorks()) {
    console.error('Setup failed: the pinned Node 24 (npm package "node") does not run here.');
    process.exit(1);
  }
  writeFileSync(stampFile, lockHash);
}
