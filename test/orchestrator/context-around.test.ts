import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContextCollector } from '../../src/orchestrator/context/collect.ts';
import type { ContextRequest } from '../../src/orchestrator/context/candidates.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-around-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
const empty = (...paths: string[]) => write(Object.fromEntries(paths.map((path) => [path, 'x\n'])));

async function collect(request: Partial<ContextRequest>) {
  const rest = { owns: [], reads: [], plan: '', depth: 'moderate' as const, tokenBudget: 50_000 };
  return createContextCollector({ root }).collect({ ...rest, ...request });
}
async function shown(request: Partial<ContextRequest>) {
  return (await collect(request)).files.map(({ path, role }) => `${role} ${path}`);
}

describe('what is shown around a task', () => {
  it.each([
    ['src/x.ts', ['src/x.test.ts', 'src/x.d.ts', 'src/x.md', 'docs/x.md', 'test/unit/x.spec.ts']],
    ['app/x.py', ['tests/test_x.py']],
    ['pkg/x.go', ['pkg/x_test.go']],
    ['src/x.rs', ['tests/x.rs']],
    ['src/main/java/a/X.java', ['src/test/java/a/XTest.java']],
    ['lib/x.rb', ['spec/x_spec.rb']],
  ])('are the tests, types and documents of %s', async (own, related) => {
    empty(...related, 'other/y.test.ts', 'y.md');
    expect((await shown({ owns: [own] })).sort()).toEqual(
      related.map((path) => `related ${path}`).sort(),
    );
    expect(await shown({ owns: [own], depth: 'minimal' })).toEqual([]);
  });

  it('is, of many tests of one name, that at the same place', async () => {
    empty('src/a/index.ts', ...['a', 'b', 'c', 'd'].map((name) => `test/${name}/index.test.ts`));
    expect(await shown({ owns: ['src/a/index.ts'] })).toEqual([
      'owned src/a/index.ts',
      'related test/a/index.test.ts',
    ]);
    expect(await shown({ owns: ['src/z/index.ts'] })).toEqual([]);
  });

  it('is the package file nearest to it, of a long one what matters', async () => {
    const dependencies = { left: '1.0.0' };
    const long = { name: 'mill', files: Array(900).fill('dist/file.js'), dependencies };
    write({
      'package.json': '{}',
      'packages/a/package.json': JSON.stringify(long),
      'packages/a/src/x.ts': '',
    });
    const { files } = await collect({ owns: ['packages/a/src/x.ts'] });
    expect(files[1]).toMatchObject({
      path: 'packages/a/package.json',
      role: 'package',
      included: 'outline',
      text: `${JSON.stringify({ name: 'mill', dependencies }, null, 2)}\n`,
    });
    expect(await shown({})).toEqual(['package package.json']);
  });

  it('is first, of what is equally near, what has words of the plan', async () => {
    write({ 'own.ts': `import './a.ts';\nimport './b/cartTotal.ts';\n` });
    empty('a.ts', 'b/cartTotal.ts', 'c/cart-view.ts', 'd.ts');
    const plan = 'Show the total of the cart.';
    expect(await shown({ owns: ['own.ts'], plan })).toEqual([
      'owned own.ts',
      'import b/cartTotal.ts',
      'import a.ts',
    ]);
    const all = await shown({ owns: ['own.ts'], plan, depth: 'comprehensive' });
    expect(all.slice(3)).toEqual(['ranked c/cart-view.ts', 'ranked d.ts']);
  });
});

describe('the list of files', () => {
  it('has all of a small project, without what may hold secrets', async () => {
    empty('src/a.ts', 'src/b/c.ts', 'README.md', '.env', 'src/key.pem');
    const { listing } = await collect({ depth: 'minimal' });
    expect(listing).toBe('README.md\nsrc/a.ts\nsrc/b/c.ts');
  });

  it('opens the folders near the task, and counts the files of the others', async () => {
    for (let folder = 0; folder < 30; folder++) {
      empty(...Array.from({ length: 12 }, (_, at) => `packages/p${folder}/src/file-${at}.ts`));
    }
    empty('packages/p7/test/x.test.ts', 'wide/a.ts');
    empty(...Array.from({ length: 300 }, (_, at) => `wide/many/f${at}.ts`));
    const { listing = '' } = await collect({ owns: ['packages/p7/src/new.ts'] });
    const lines = listing.split('\n');
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines).toContain('packages/p7/src/file-11.ts');
    expect(lines).toContain('packages/p7/test/x.test.ts');
    expect(lines).toContain('wide/many/ (300 files)');
    const counted = lines.reduce(
      (sum, line) => sum + Number(/\((\d+) files?\)$/.exec(line)?.[1] ?? 1),
      0,
    );
    expect(counted).toBe(30 * 12 + 302);
  });

  it('takes a small part of the room, and none when there is hardly any', async () => {
    empty(...Array.from({ length: 100 }, (_, at) => `src/some-long-name-${at}.ts`));
    const { listing, tokens } = await collect({ tokenBudget: 2000, depth: 'minimal' });
    expect(listing).toBe('src/ (100 files)');
    expect(tokens).toBeLessThan(100);
    expect(await collect({ tokenBudget: 50, depth: 'minimal' })).toEqual({
      files: [],
      omitted: [],
      tokens: 0,
    });
  });
});
