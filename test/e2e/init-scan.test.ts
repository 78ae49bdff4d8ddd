// What `init` writes follows the folder that it is called in, and the programs of this machine.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { load } from 'js-yaml';
import { runHere } from '../support/run-here.ts';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true })));

interface Written {
  text: string;
  owns: string[];
  verify: string[] | undefined;
}

/** In a folder with these files, on a machine with these programs. */
async function init(files: Record<string, string>, programs: string[] = []): Promise<Written> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-scan-'));
  made.push(base);
  const [root, bin] = [join(base, 'project'), join(base, 'bin')];
  for (const folder of [root, bin]) mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const program of programs) {
    writeFileSync(join(bin, program), '#!/bin/sh\n');
    chmodSync(join(bin, program), 0o755);
  }
  const env = { PATH: bin, XDG_CONFIG_HOME: base, XDG_STATE_HOME: base };
  const { code, stderr } = await runHere(['-C', root, 'init'], env);
  expect(code, stderr).toBe(0);
  const text = readFileSync(join(root, 'millrace.yaml'), 'utf8');
  const { streams } = load(text) as { streams: Record<string, Omit<Written, 'text'>> };
  return { text, owns: streams['first-change']!.owns, verify: streams['first-change']!.verify };
}

const PYTEST = '[dependency-groups]\ndev = ["pytest"]\n';
const TESTED = '{"scripts":{"test":"vitest"}}';

describe('what a new manifest owns', () => {
  it.each([
    ['a usual folder', { 'lib/a.ts': '', 'other/b.ts': '' }, ['lib/']],
    ['a package of its own name', { 'shop/__init__.py': '', 'tests/a.py': '' }, ['shop/']],
    ['sources beside the manifest', { 'main.go': '', 'cart.go': '', 'go.mod': '' }, ['*.go']],
    ['only what tools made', { 'node_modules/a.js': '', '.venv/a.py': '' }, ['**']],
    ['nothing', {}, ['**']],
  ])('with %s', async (_, files, owns) => {
    const written = await init(files);
    expect(written.owns).toEqual(owns);
    expect(written.text).not.toContain('src/');
  });
});

describe('the checks of a new manifest', () => {
  it.each([
    ['uv', { 'pyproject.toml': PYTEST, 'uv.lock': '' }, 'uv run pytest'],
    ['uv', { 'pyproject.toml': `${PYTEST}[tool.uv]\n` }, 'uv run pytest'],
    ['poetry', { 'pyproject.toml': `[tool.poetry]\n${PYTEST}` }, 'poetry run pytest'],
    ['pytest', { 'pytest.ini': '' }, 'pytest'],
    ['pnpm', { 'package.json': TESTED, 'pnpm-lock.yaml': '' }, 'pnpm test'],
    ['pnpm', { 'package.json': `{"packageManager":"pnpm@9.0.0",${TESTED.slice(1)}` }, 'pnpm test'],
    ['bun', { 'package.json': TESTED, 'bun.lockb': '' }, 'bun run test'],
    ['go', { 'go.mod': '' }, 'go test ./...'],
    ['cargo', { 'Cargo.toml': '' }, 'cargo test'],
  ])('of a project with %s need the program here', async (program, files, command) => {
    expect((await init(files, [program])).verify).toEqual([command]);
    const without = await init(files);
    expect(without.verify).toBeUndefined();
    expect(without.text).toMatch(`${command.split(' ')[0]}`);
    expect(without.text).toContain('# not found on this machine');
  });

  it('name no test runner that the project does not use', async () => {
    const { text } = await init({ 'pyproject.toml': '[project]\nname = "a"\n' }, ['pytest']);
    expect(text).not.toContain('pytest');
    const node = await init({ 'package.json': '{}', 'tsconfig.json': '{}' }, ['npx', 'npm']);
    expect(node.text).not.toContain('tsc');
  });

  it('run programs of the project by its package manager', async () => {
    const files = {
      'package.json': '{"devDependencies":{"typescript":"*"}}',
      'pnpm-lock.yaml': '',
      'tsconfig.json': '{}',
    };
    expect((await init(files, ['pnpm'])).verify).toEqual(['pnpm exec tsc --noEmit']);
  });
});
