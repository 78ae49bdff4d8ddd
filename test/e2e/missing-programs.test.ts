// A check that cannot start would fail every answer after it was paid for.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstWordOf } from '../../src/project/find-programs.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const MISSING = /COMMAND_NOT_FOUND|no-such-tool was not found on this machine/;

describe('a check whose program is not on this machine', () => {
  it('is found by plan, and by run before a model is asked', async () => {
    const verify = ['CI=1 no-such-tool --all', 'no-such-tool'];
    await project.write('m.yaml', manifestOf([{ id: 'a', verify }, { id: 'b' }]));
    const plan = await project.millrace(['plan', 'm.yaml']);
    expect(plan.code).toBe(0);
    expect(plan.stderr.match(/COMMAND_NOT_FOUND/g)).toHaveLength(1);
    expect(plan.stderr).toContain(
      'a runs "CI=1 no-such-tool --all", but no-such-tool was not found',
    );
    const run = await project.millrace(['run', 'm.yaml', '--yes']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(MISSING);
    const { MILLRACE_URL, MILLRACE_API_KEY } = project.settings;
    const jobs = await fetch(`${MILLRACE_URL}/api/v1/jobs`, {
      headers: { authorization: `Bearer ${MILLRACE_API_KEY}` },
    });
    expect([jobs.status, (await jobs.text()).includes('job_')]).toEqual([200, false]);
    const other = await project.millrace(['run', 'm.yaml', '--yes', '--only', 'b']);
    expect([other.code, MISSING.test(other.stderr)]).toEqual([0, false]);
  });

  it('may be installed by a setup: the run begins, with a warning', async () => {
    const manifest = manifestOf([{ id: 'a', verify: ['no-such-tool'] }]);
    await project.write(
      'm.yaml',
      manifest.replace('    verify:', '    setup: ["true"]\n    verify:'),
    );
    const run = await project.millrace(['run', 'm.yaml', '--yes', '--max-attempts', '1']);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(MISSING);
  });

  it('is not looked for where the shell has to decide', async () => {
    const verify = [
      'test -e m.yaml && cd . && true',
      'if true; then :; fi',
      '(exit 0)',
      '! false',
      '"echo" quoted',
      'PATH=/nowhere:$PATH echo',
      'test -x ./made-later || true',
    ];
    await project.write('m.yaml', manifestOf([{ id: 'a', verify }]));
    expect((await project.millrace(['plan', 'm.yaml'])).stderr).not.toMatch(MISSING);
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
  });
});

it('the first word of a command is a plain one, or left to the shell', () => {
  expect(firstWordOf('npm test')).toBe('npm');
  expect(firstWordOf(' A=1 B= go1.22 test ./...')).toBe('go1.22');
  expect(firstWordOf('tsc;eslint')).toBe('tsc');
  for (const command of [
    './run',
    'bin/run',
    '$X',
    "'a b'",
    '(a)',
    'PATH=x a',
    'A=$(b) c',
    '',
    '-x',
  ]) {
    expect(firstWordOf(command), command).toBeUndefined();
  }
});
