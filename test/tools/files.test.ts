import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectFiles } from '../../src/tools/workspace-files.ts';
import { newFolder, toolDeps } from './assistant.ts';

const place = newFolder();
const { root } = place;
const workspace = toolDeps({ url: '', key: '', folder: root }).workspace!;

beforeAll(() => {
  const files: Record<string, string | Buffer> = {
    '.gitignore': 'dist/\n',
    '.env': 'TOKEN=1\n',
    'src/b.ts': 'b\n',
    'src/deep/c.ts': 'c\n',
    'src/.env.local': 'TOKEN=2\n',
    'src/picture.ts': Buffer.from([0, 255, 1]),
    'src/large.ts': 'x'.repeat(256 * 1024 + 1),
    'dist/out.ts': 'out\n',
    'node_modules/p/index.ts': 'p\n',
    '.git/config': 'url = https://token@example.com\n',
    '../outside.ts': 'secret\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync('../outside.ts', join(root, 'out.ts'));
  symlinkSync('../.env', join(root, 'src/plain.ts'));
  symlinkSync('.git/config', join(root, 'config.ts'));
  symlinkSync('..', join(root, 'up'));
  symlinkSync('/dev/zero', join(root, 'endless.ts'));
  symlinkSync('loop.ts', join(root, 'loop.ts'));
  // Reading it would wait for somebody who writes.
  execFileSync('mkfifo', [join(root, 'src/pipe.ts')]);
});
afterAll(() => place.remove());

describe('files of a task', () => {
  it('are found by path, folder and glob, and sent in one order', async () => {
    const one = await collectFiles(workspace, ['src/b.ts', 'a.ts']);
    expect(one.contents).toEqual({ 'a.ts': 'export const a = 1;\n', 'src/b.ts': 'b\n' });
    expect(JSON.stringify((await collectFiles(workspace, ['./a.ts', 'src/b.ts'])).contents)).toBe(
      JSON.stringify(one.contents),
    );
    const tree = await collectFiles(workspace, ['src']);
    expect(Object.keys(tree.contents)).toEqual(['src/b.ts', 'src/deep/c.ts']);
    expect(tree.leftOut.map(({ path, why }) => [path, why])).toEqual([
      ['src/.env.local', 'may hold secrets'],
      ['src/large.ts', 'is larger than 256 KiB'],
      ['src/picture.ts', 'is not text'],
    ]);
    const all = await collectFiles(workspace, ['**/*.ts']);
    expect(Object.keys(all.contents)).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts']);
    // Named in full: also what is kept out of version control.
    expect((await collectFiles(workspace, ['dist/out.ts'])).contents).toEqual({
      'dist/out.ts': 'out\n',
    });
  });

  it('may be named by absolute paths, also through a link to the workspace', async () => {
    const link = join(place.folder, 'link');
    symlinkSync(root, link);
    for (const at of [root, link, `${root}/`, `${root}/./`]) {
      const { contents } = await collectFiles(workspace, [`${at}/src/b.ts`, `${at}/src/deep/**`]);
      expect(Object.keys(contents)).toEqual(['src/b.ts', 'src/deep/c.ts']);
    }
    const all = await collectFiles(workspace, ['**']);
    expect(Object.keys(all.contents)).toContain('src/deep/c.ts');
    for (const whole of [root, `${link}/`, '.', './']) {
      expect(await collectFiles(workspace, [whole])).toEqual(all);
    }
    const allowed = { ...workspace, allowed: [join(link, '.env')] };
    const { contents } = await collectFiles(allowed, [join(root, '.env')]);
    expect(Object.keys(contents)).toEqual(['.env']);
  });

  it.each([
    ['../outside.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['src/../../outside.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['/etc/passwd', 'PATH_OUTSIDE_WORKSPACE'],
    ['/', 'PATH_OUTSIDE_WORKSPACE'],
    [dirname(root), 'PATH_OUTSIDE_WORKSPACE'],
    [`${root}-state/x.ts`, 'PATH_OUTSIDE_WORKSPACE'],
    [`${root}/../outside.ts`, 'PATH_OUTSIDE_WORKSPACE'],
    [`${root}/out.ts`, 'PATH_OUTSIDE_WORKSPACE'],
    [`${root}/.env`, 'FILE_NOT_ALLOWED'],
    ['C:/x.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['src\\b.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['a.ts\u0000.md', 'PATH_OUTSIDE_WORKSPACE'],
    ['out.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['up/outside.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['.env', 'FILE_NOT_ALLOWED'],
    ['src/plain.ts', 'FILE_NOT_ALLOWED'],
    ['config.ts', 'FILE_NOT_ALLOWED'],
    ['.git/config', /PATH_OUTSIDE_WORKSPACE|FILE_NOT_ALLOWED|FILE_NOT_FOUND/],
    ['node_modules/p/index.ts', 'FILE_NOT_ALLOWED'],
    ['src/large.ts', 'FILE_TOO_LARGE'],
    ['src/picture.ts', 'FILE_NOT_TEXT'],
    ['endless.ts', 'PATH_OUTSIDE_WORKSPACE'],
    ['loop.ts', 'FILE_NOT_FOUND'],
    ['src/pipe.ts', 'FILE_NOT_TEXT'],
    ['src/none.ts', 'FILE_NOT_FOUND'],
    ['*.rs', 'FILE_NOT_FOUND'],
  ])('%j is refused', async (entry, code) => {
    const refused = collectFiles(workspace, ['a.ts', entry]);
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(code) });
  });

  it('may be ones with secrets where the user allows it', async () => {
    const allowed = { ...workspace, allowed: ['.env', 'node_modules/p/'] };
    const { contents } = await collectFiles(allowed, ['.env', 'node_modules/p/index.ts']);
    expect(Object.keys(contents)).toEqual(['.env', 'node_modules/p/index.ts']);
    await expect(collectFiles(allowed, ['src/.env.local'])).rejects.toThrow(/may hold secrets/);
  });

  it('stay within 2 MiB in all; what was named goes first', async () => {
    for (let n = 0; n < 10; n++) {
      const path = join(root, `big/f${n}.txt`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'y'.repeat(250 * 1024));
    }
    const { contents, leftOut } = await collectFiles(workspace, ['big/', 'big/f9.txt']);
    expect(Object.keys(contents)).toHaveLength(8);
    expect(Object.keys(contents)).toContain('big/f9.txt');
    expect(leftOut.map(({ path }) => path)).toEqual(['big/f7.txt', 'big/f8.txt']);
  });
});
