// What is seen of a copy while somebody works in it, where copies are plain folders: with overlays, the runs of agents
// show it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCopy } from '../../src/sandbox/copy/copy.ts';
import { openWorkplace } from '../../src/sandbox/workplace.ts';
import type { Workplace } from '../../src/sandbox/workplace.ts';

let base: string;
let workplace: Workplace;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-so-far-')));
  for (const folder of ['project/src', 'other', 'state']) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  workplace = openWorkplace(join(base, 'state'));
});
afterEach(() => {
  workplace.remove();
  rmSync(base, { recursive: true, force: true });
});

it('a plain copy shows what was written, added and deleted so far, and nothing behind a link or a pipe', async () => {
  const folder = join(base, 'project');
  const files = ['a.txt', 'b.txt', 'src/c.txt'];
  for (const path of files) writeFileSync(join(folder, path), `${path}\n`);
  writeFileSync(join(base, 'other', 'secret'), 'top secret\n');
  const copy = await openCopy(
    { folder, files, isSecret: () => false },
    { workplace, programs: undefined, hasMounts: false, mountRights: undefined },
  );
  expect(copy.method).toBe('copy');
  expect(copy.soFar()).toEqual([]);
  const inside = (path: string) => join(copy.runsIn, path);
  writeFileSync(inside('a.txt'), 'more\n');
  writeFileSync(inside('new.txt'), 'new\n');
  rmSync(inside('src'), { recursive: true });
  symlinkSync(join(base, 'other'), inside('src'));
  symlinkSync(join(base, 'other', 'secret'), inside('link'));
  spawnSync('mkfifo', [inside('pipe')]);
  mkdirSync(inside('sub/.git'), { recursive: true });
  writeFileSync(inside('sub/.git/config'), 'hook\n');
  expect(
    copy
      .soFar()
      .map(({ path, change }) => `${change} ${path}`)
      .sort(),
  ).toEqual(['added new.txt', 'deleted src/c.txt', 'modified a.txt']);
  expect(copy.readSoFar('new.txt')?.toString()).toBe('new\n');
  // The last one leads out of the copy by a folder that was replaced meanwhile.
  for (const path of ['link', 'pipe', 'sub', 'missing', 'src/secret']) {
    expect(copy.readSoFar(path), path).toBeUndefined();
  }
  copy.remove();
});
