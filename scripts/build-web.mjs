// Builds the dashboard into dist/web. With --if-stale only when something it is made from is newer: that is
// how a checkout gets it on its first start. Plain JavaScript, because this runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist', 'web');
const stamp = join(out, '.built');
const SOURCES = [
  'web',
  'src/client',
  'src/contract',
  'src/domain',
  'src/manifest',
  'package-lock.json',
];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  // The folder itself counts, too: a file may have been removed from it.
  const inside = readdirSync(path).map((name) => newest(join(path, name)));
  return Math.max(stat.mtimeMs, ...inside);
}

function isFresh() {
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  return SOURCES.every((source) => newest(join(root, source)) <= builtAt);
}

function build() {
  // Beside the old one, and then in its place: a server may be reading it.
  const fresh = join(root, 'dist', `web.${process.pid}`);
  const startedAt = new Date();
  console.error('Building the dashboard');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const node = join(root, 'node_modules', '.bin', 'node');
  const args = [vite, 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'];
  const result = spawnSync(
    existsSync(node) ? node : process.execPath,
    [...args, '--outDir', fresh],
    {
      cwd: root,
      stdio: ['ignore', process.stderr, 'inherit'],
    },
  );
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    console.error('The dashboard could not be built; everything else works without it.');
    return result.status ?? 1;
  }
  writeFileSync(join(fresh, '.built'), startedAt.toISOString());
  const old = join(root, 'dist', `web.old.${process.pid}`);
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
  return 0;
}

if (!process.argv.includes('--if-stale')) process.exitCode = build();
else if (!isFresh()) build();
