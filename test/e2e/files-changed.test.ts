// A stream is complete by its state; its files are what they are.
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { createRunProject } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: project.folder,
    encoding: 'utf8',
  });

/** Both write notes.md, one after the other; the second also a file that git does not know. */
const MANIFEST = `feature: Test
model: sim-instant
streams:
  a:
    name: A
    owns: [notes.md]
    plan: Add to the notes.
  b:
    name: B
    deps: [a]
    owns: [notes.md, new.md]
    plan: Add more to the notes.
`;

/** The manifest is not in the repository: what it says of its streams outlives a checkout. */
async function ran(manifest = MANIFEST): Promise<void> {
  await project.write('notes.md', '# Notes\n');
  await project.write('.gitignore', 'm.yaml\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'All');
  await project.write('m.yaml', manifest);
  expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
}

const WARNING = /FILES_CHANGED .*no longer what was applied: (.*)\. To run \w+ again: (.*)/;

describe('a complete stream', () => {
  it('whose files are as it left them is not mentioned, also where another one wrote them later', async () => {
    await ran();
    const plan = await project.millrace(['plan', 'm.yaml']);
    expect(plan.stdout).toContain('Nothing to do.');
    expect(plan.stderr).not.toMatch(WARNING);
    expect((await project.millrace(['run', 'm.yaml'])).stderr).not.toMatch(WARNING);
  });

  it('whose files are no longer what was applied is named, with the flag that runs it again', async () => {
    await ran();
    git('checkout', '-q', '.');
    for (const command of ['plan', 'run']) {
      const [, named, flag] = WARNING.exec((await project.millrace([command, 'm.yaml'])).stderr)!;
      expect([named, flag]).toEqual(['a (notes.md), b (notes.md)', '--only a,b']);
    }
    const { warnings } = JSON.parse(
      (await project.millrace(['plan', 'm.yaml', '--json'])).stdout,
    ) as { warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code)).toContain('FILES_CHANGED');
    const again = await project.millrace(['run', 'm.yaml', '--only', 'a,b']);
    expect([again.code, WARNING.test(again.stderr)]).toEqual([0, false]);
    expect(await project.read('notes.md')).toContain('Written by the simulator for b.');
    expect((await project.millrace(['plan', 'm.yaml'])).stderr).not.toMatch(WARNING);
  });

  it('that took a fix is named by its own name', async () => {
    const verify = '"test -e fixed || { touch fixed; exit 1; }"';
    await ran(MANIFEST.replace('    plan: Add to', `    verify: [${verify}]\n    plan: Add to`));
    git('checkout', '-q', '.');
    const { stderr } = await project.millrace(['plan', 'm.yaml']);
    expect(WARNING.exec(stderr)?.[2]).toBe('--only a,b');
  });

  it('whose changes were reverted is to be run, and needs no mention', async () => {
    await ran();
    expect((await project.millrace(['revert', '--yes'])).code).toBe(0);
    const plan = await project.millrace(['plan', 'm.yaml']);
    expect(plan.stdout).toContain('2 to run');
    expect(plan.stderr).not.toMatch(WARNING);
  });
});
