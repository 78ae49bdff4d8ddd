// The files that `millrace mcp` is bundled into, and how a checkout keeps them up to date.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOfCheckout } from '../../scripts/tools-bundle/checkout.ts';
import { servesTools } from '../../src/cli/load-program.ts';
import { fromRoot } from '../pins/tree.ts';
import { cleanEnv } from '../support/cli.ts';

async function node(args: readonly string[], input = '', env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { env: cleanEnv(env) });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: await ended };
}

/** The bundle alone, after these messages and the end of its input. */
async function serve(file: string, messages: readonly object[], workspace: string) {
  const script = `import { run } from ${JSON.stringify(file)}; process.exitCode = await run(['mcp']);`;
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const first = [{ id: 1, method: 'initialize', params }, { method: 'notifications/initialized' }];
  const lines = [...first, ...messages].map((each) => JSON.stringify({ jsonrpc: '2.0', ...each }));
  return node(['--input-type=module', '-e', script], `${lines.join('\n')}\n`, {
    MILLRACE_WORKSPACE: workspace,
    MILLRACE_STATE_DIR: join(workspace, 'state'),
  });
}

it('the bundle answers over standard output, says nothing else there, and ends with its input', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
  const input = { task: 'x', files: ['../x'] };
  const messages = [
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'millrace_execute', arguments: input } },
  ];
  const file = (await bundleOfCheckout(fromRoot('')))!;
  const ended = await serve(file, messages, workspace).finally(() =>
    rmSync(workspace, { recursive: true }),
  );
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const answers = ended.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number });
  const refused = { isError: true, content: [{ text: expect.stringMatching(/^PATH_OUTSIDE/) }] };
  expect(answers.toSorted((a, b) => a.id - b.id)).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'millrace' } } },
    { id: 2, result: { tools: [{}, {}, {}, {}, {}, {}] } },
    { id: 3, result: refused },
  ]);
});

it('a part that is gone since an update is a reason to restart, not a puzzle', async () => {
  const base = mkdtempSync(join(tmpdir(), 'millrace-updated-'));
  try {
    const file = (await bundleOfCheckout(fromRoot(''), base))!;
    const folder = dirname(file);
    for (const name of readdirSync(folder)) {
      if (/^status-[A-Z0-9]+\.js/.test(name)) rmSync(join(folder, name));
    }
    const params = { name: 'millrace_status', arguments: { executionId: 'latest' } };
    const { stdout } = await serve(file, [{ id: 2, method: 'tools/call', params }], base);
    expect(stdout).toContain('"text":"RESTART_NEEDED: Millrace was updated');
  } finally {
    rmSync(base, { recursive: true });
  }
});

it.each([
  [['mcp'], true],
  [['mcp', '--workspace', 'shop'], true],
  [['mcp', 'install', 'claude'], false],
  [['mcp', '--check'], false],
  [['run'], false],
  [[], false],
])('%j is served by the bundle: %s', (words, expected) => {
  expect(servesTools(words)).toBe(expected);
});

describe('a checkout', () => {
  let root: string;
  /** A program that says what it is, and whether it was bundled. */
  const writeProgram = (says: string) =>
    writeFileSync(
      join(root, 'src/cli/program.ts'),
      `export async function run(): Promise<number> {
        const isBundled = /millrace-tools/.test(new Error().stack ?? '');
        console.log(${JSON.stringify(says)}, isBundled);
        return 0;
      }\n`,
    );
  const mcp = (at = root) => node([join(at, 'src/main.ts'), 'mcp']);

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'millrace-checkout-'));
    const sources = ['main.ts', 'cli/load-program.ts', 'platform/make-folder.ts'];
    const copied = [...sources.map((path) => `src/${path}`), 'package.json', 'package-lock.json'];
    for (const path of [...copied, 'scripts/tools-bundle']) {
      cpSync(fromRoot(path), join(root, path), { recursive: true });
    }
    for (const folder of ['src/orchestrator', 'node_modules']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'src/orchestrator/index.ts'), '');
    symlinkSync(fromRoot('node_modules/esbuild'), join(root, 'node_modules/esbuild'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('bundles when sessions first start, at once or not, and again when a source changed', async () => {
    writeProgram('first');
    const good = { code: 0, stderr: '' };
    const together = await Promise.all([mcp(), mcp()]);
    for (const each of together) expect(each).toEqual({ ...good, stdout: 'first true\n' });
    writeProgram('second, which is longer');
    expect(await mcp()).toEqual({ ...good, stdout: 'second, which is longer true\n' });
  });

  it('that is copied with its bundle runs its own code, wherever the first one is by then', async () => {
    const copy = `${root}-copy`;
    const moved = `${root}-moved`;
    try {
      // What was written in the moment of its bundling is bundled once more.
      await mcp();
      // With all digits of their times: the bundle is the one of these very sources.
      execFileSync('cp', ['-a', root, copy]);
      const bundles = readdirSync(join(copy, 'node_modules/.cache/millrace-tools'));
      renameSync(root, moved);
      expect(await mcp(copy)).toMatchObject({ code: 0, stdout: 'second, which is longer true\n' });
      expect(readdirSync(join(copy, 'node_modules/.cache/millrace-tools'))).toEqual(bundles);
    } finally {
      renameSync(moved, root);
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('whose packages are a link to those of another one runs its sources', async () => {
    const linked = `${root}-linked`;
    try {
      for (const path of ['src', 'scripts', 'package.json', 'package-lock.json']) {
        cpSync(join(root, path), join(linked, path), { recursive: true, preserveTimestamps: true });
      }
      symlinkSync(join(root, 'node_modules'), join(linked, 'node_modules'));
      const good = { code: 0, stderr: '' };
      expect(await mcp(linked)).toEqual({ ...good, stdout: 'second, which is longer false\n' });
    } finally {
      rmSync(linked, { recursive: true, force: true });
    }
  });

  it('uses the bundle that it has, and the sources when there is none and none can be made', async () => {
    rmSync(join(root, 'node_modules/esbuild'));
    expect(await mcp()).toMatchObject({ code: 0, stdout: 'second, which is longer true\n' });
    writeProgram('third');
    const { code, stdout, stderr } = await mcp();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'third false\n' });
    expect(stderr).toMatch(/^Could not bundle the tools/);
  });
});
