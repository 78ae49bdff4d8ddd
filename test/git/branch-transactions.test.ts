// Files of a branch that a crash left half written are restored where they are, whoever finds the crash.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyChanges, recoverTransactions } from '../../src/orchestrator/apply/transaction.ts';
import { worktreeOf, writeBranch } from '../../src/orchestrator/state/branch-record.ts';
import { createStoppingDisk } from '../orchestrator/apply-stopping-disk.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-branch-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('are put back in the folder of the branch, and forgotten where that is gone', async () => {
  const [root, stateDir] = [join(base, 'project'), join(base, 'state')];
  const folder = worktreeOf(stateDir, 'work');
  const about = { branch: 'work', base: 'a'.repeat(40), origin: 'run_1', prefix: '' };
  for (const place of [root, folder]) {
    mkdirSync(place, { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(place, name), `${name}\n`);
  }
  await writeBranch(stateDir, 'run_1', about);
  const change = (path: string) => ({
    path,
    before: Buffer.from(`${path}\n`),
    after: Buffer.from('new\n'),
    mode: 0o644,
  });
  const place = { root: folder, stateDir, runId: 'run_1', streamId: 'a', attempt: 1 };
  const whole = createStoppingDisk();
  const start = join(base, 'start');
  cpSync(stateDir, start, { recursive: true });
  await applyChanges(place, [change('one'), change('two')], { disk: whole.disk });
  let restored = 0;
  for (let allowed = 0; allowed < whole.changes(); allowed++) {
    rmSync(stateDir, { recursive: true });
    cpSync(start, stateDir, { recursive: true });
    const { disk } = createStoppingDisk(allowed);
    await expect(applyChanges(place, [change('one'), change('two')], { disk })).rejects.toThrow();
    const isHalf =
      readFileSync(join(folder, 'one'), 'utf8') !==
      readFileSync(join(folder, 'two'), 'utf8').replace('two', 'one');
    if (isHalf) restored += 1;
    const recovered = await recoverTransactions({ root, stateDir });
    const now = ['one', 'two'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect([
      ['one\n', 'two\n'],
      ['new\n', 'new\n'],
    ]).toContainEqual(now);
    for (const name of ['one', 'two']) {
      expect(readFileSync(join(root, name), 'utf8'), `${name} in the project`).toBe(`${name}\n`);
    }
    if (isHalf) {
      expect(recovered).toMatchObject([{ runId: 'run_1', outcome: 'undone', conflicts: [] }]);
    }
  }
  expect(restored).toBeGreaterThan(0);
  rmSync(stateDir, { recursive: true });
  cpSync(start, stateDir, { recursive: true });
  const { disk } = createStoppingDisk(Math.floor(whole.changes() / 2));
  await expect(applyChanges(place, [change('one')], { disk })).rejects.toThrow();
  rmSync(folder, { recursive: true });
  expect(await recoverTransactions({ root, stateDir })).toEqual([]);
});
