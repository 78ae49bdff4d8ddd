// Builds the pages of the server: the dashboard into dist/web, the documentation into dist/docs. With --if-stale only
// what is older than something it is made from: that is how a checkout gets them on its first start. Plain
// JavaScript, because this runs on the machine's own Node.
import { spawn } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SHARED = ['src/contract', 'src/domain', 'src/manifest', 'package-lock.json'];

/** `command`: what Node runs, before the folder to build into. */
const PARTS = [
  {
    name: 'dashboard',
    folder: 'web',
    sources: ['web', 'src/client', ...SHARED],
    command: [
      join('node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--config=web/vite.config.ts',
      '--logLevel=warn',
      '--outDir',
    ],
  },
  {
    name: 'documentation',
    folder: 'docs',
    // The reference is made from the routes.
    sources: ['docs', 'web/docs', 'web/tokens.css', 'scripts/docs-site', 'src/http', ...SHARED],
    command: [join('scripts', 'docs-site', 'build.ts')],
  },
];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  // The folder itself counts, too: a file may have been removed from it.
  const inside = readdirSync(path).map((name) => newest(join(path, name)));
  return Math.max(stat.mtimeMs, ...inside);
}

function isFresh({ folder, sources }) {
  const stamp = join(root, 'dist', folder, '.built');
  if (!existsSync(stamp)) return false;
  // What changed during a build may not be in it.
  const builtAt = Date.parse(readFileSync(stamp, 'utf8'));
  return sources.every((source) => newest(join(root, source)) <= builtAt);
}

/** Resolves to an exit code. */
function run(command) {
  const node = join(root, 'node_modules', '.bin', 'node');
  // The cache of `./millrace`: what is compiled here need not be when the server starts.
  const NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'millrace');
  const child = spawn(existsSync(node) ? node : process.execPath, command, {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
    env: { NODE_COMPILE_CACHE, ...process.env },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function build({ name, folder, command }) {
  // Beside the old one, and then in its place: a server may be reading it.
  const out = join(root, 'dist', folder);
  const fresh = `${out}.${process.pid}`;
  const startedAt = new Date();
  console.error(`Building the ${name}`);
  const status = await run([...command, fresh]);
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    console.error(`The ${name} could not be built; everything else works without it.`);
    return status;
  }
  writeFileSync(join(fresh, '.built'), startedAt.toISOString());
  const old = `${out}.old.${process.pid}`;
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
  return 0;
}

const ifStale = process.argv.includes('--if-stale');
const due = PARTS.filter((part) => !ifStale || !isFresh(part));
const statuses = await Promise.all(due.map(build));
// A checkout starts and is tested without its pages, too.
if (!ifStale) process.exitCode = Math.max(0, ...statuses);
