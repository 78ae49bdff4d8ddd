import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clonePackages } from '../../src/orchestrator/git/bring-along.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-along-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('packages are there whole, whatever a process that was killed has left of its copy', async () => {
  const [root, folder, spare] = ['project', 'branch', 'branch.part'].map((one) => join(base, one));
  mkdirSync(join(root!, 'app/node_modules/tool'), { recursive: true });
  mkdirSync(join(root!, 'node_modules'));
  writeFileSync(join(root!, 'app/node_modules/tool/index.js'), 'whole');
  writeFileSync(join(root!, 'node_modules/one.js'), 'one');
  mkdirSync(join(folder!, 'node_modules'), { recursive: true });
  writeFileSync(join(folder!, 'node_modules/one.js'), 'installed here');
  mkdirSync(join(spare!, 'half'), { recursive: true });
  await clonePackages({ root: root!, folder: folder!, spare: spare! }, new Set(['app']));
  expect(readFileSync(join(folder!, 'app/node_modules/tool/index.js'), 'utf8')).toBe('whole');
  expect(existsSync(join(folder!, 'app/node_modules/half'))).toBe(false);
  expect(readFileSync(join(folder!, 'node_modules/one.js'), 'utf8')).toBe('installed here');
  expect(existsSync(spare!)).toBe(false);
});
