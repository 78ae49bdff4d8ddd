// When the pages of the server are built anew, with stand-ins for what builds them.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromRoot } from '../pins/tree.ts';

const SOURCES = [
  'docs/quickstart.md',
  'scripts/docs-site/contents.ts',
  'src/client/client.ts',
  'src/contract/errors.ts',
  'src/domain/tiers.ts',
  'src/http/server.ts',
  'src/manifest/plan.ts',
  'web/docs/main.css',
  'web/main.tsx',
  'web/tokens.css',
  'package-lock.json',
];
const VITE = 'node_modules/vite/bin/vite.js';
const DOCS = 'scripts/docs-site/build.ts';
const WRITES = `
import { mkdirSync, writeFileSync } from 'node:fs';
const out = process.argv.at(-1);
mkdirSync(out, { recursive: true });
writeFileSync(out + '/index.html', String(process.pid));
`;

let root: string;

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** What was said: the names of the parts that were built, and of those that could not be. */
async function build(...flags: string[]): Promise<string[]> {
  const script = join(root, 'scripts/build-web.mjs');
  const { stderr } = await promisify(execFile)(process.execPath, [script, ...flags]);
  return stderr
    .split('\n')
    .filter((line) => /^(?:Building|The) /.test(line))
    .sort();
}

async function change(path: string): Promise<void> {
  const later = new Date(Date.now() + 60_000);
  await utimes(join(root, path), later, later);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-build-web-'));
  await mkdir(join(root, 'scripts'));
  await cp(fromRoot('scripts/build-web.mjs'), join(root, 'scripts/build-web.mjs'));
  await put('package.json', '{ "type": "module" }');
  for (const source of SOURCES) await put(source, '');
  await put(VITE, WRITES);
  await put(DOCS, WRITES);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const DASHBOARD = 'Building the dashboard';
const DOCUMENTATION = 'Building the documentation';

it('both are built once, and again when something they are made from changes', async () => {
  expect(await build('--if-stale')).toEqual([DASHBOARD, DOCUMENTATION]);
  expect(await build('--if-stale')).toEqual([]);
  expect(await build()).toEqual([DASHBOARD, DOCUMENTATION]);
});

it.each([
  ['docs/quickstart.md', [DOCUMENTATION]],
  ['scripts/docs-site/contents.ts', [DOCUMENTATION]],
  ['src/http/server.ts', [DOCUMENTATION]],
  ['src/client/client.ts', [DASHBOARD]],
  ['web/main.tsx', [DASHBOARD]],
  ['web/tokens.css', [DASHBOARD, DOCUMENTATION]],
  ['src/contract/errors.ts', [DASHBOARD, DOCUMENTATION]],
])('a change of %s is noticed', async (path, expected) => {
  await build('--if-stale');
  await change(path);
  expect(await build('--if-stale')).toEqual(expected);
});

it('a build that fails leaves the pages of before, and stops only who asked for a build', async () => {
  await build();
  const before = await readFile(join(root, 'dist/docs/index.html'), 'utf8');
  await put(DOCS, 'process.exitCode = 3;');
  await change(DOCS);
  expect(await build('--if-stale')).toEqual([
    DOCUMENTATION,
    'The documentation could not be built; everything else works without it.',
  ]);
  expect(await readFile(join(root, 'dist/docs/index.html'), 'utf8')).toBe(before);
  await expect(build()).rejects.toMatchObject({ code: 3 });
});
