import { expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { ask, hashOf } from './ask.ts';

const server = useServer();

it('approvals are listed, shown, approved, denied and answered', async () => {
  const { key, email } = await server().createKey();
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const cli = (...args: string[]) => runHere(['approvals', ...args], settings);
  expect(await cli('list')).toMatchObject({ code: 0, stderr: 'Nothing needs you.\n' });
  const changes = await ask(server(), key);
  const plan = await ask(server(), key, { kind: 'plan', streamId: undefined, title: 'Run x' });
  const question = await ask(server(), key, { kind: 'question', title: 'Which one?' });

  const listed = await cli('list');
  const [head, ...rows] = listed.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +KIND +STATUS +ASKED +BY +WHAT$/);
  expect(rows.map((row) => row.split(/ {2,}/).slice(1, 3).join(' '))).toEqual([
    'question open',
    'plan open',
    'changes open',
  ]);
  const shown = await cli('show', changes.id);
  expect(shown.stdout).toContain('Write the changes of api');
  expect(shown.stdout).toContain('\n+x');
  expect(shown.stdout).toContain(`Hash ${hashOf('x')}`);

  const wrong = await cli('approve', changes.id, '--hash', hashOf('y'));
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('not what you have seen');
  const approved = await cli('approve', changes.id.slice(0, -4));
  expect(approved.stderr).toBe('');
  expect(approved.stdout).toContain(`Approved by ${email}.`);
  const again = await cli('deny', changes.id);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`${email} approved this already`);
  expect((await cli('deny', plan.id, '--comment', 'Later.')).stdout).toContain('Denied by');
  expect((await cli('show', plan.id)).stdout).toContain('Comment: Later.');
  expect((await cli('approve', question.id)).code).toBe(2);
  expect((await cli('answer', question.id, 'The older one')).stdout).toContain('Answered by');
  expect((await cli('list', '--status', 'all', '--json')).stdout).toContain('"The older one"');
  const team = (...args: string[]) => runHere(['team', 'update', ...args], settings);
  const changed = await team('--approval-by-other', 'on');
  expect(changed.stdout).toMatch(/approvalByOther {2}true$/m);
  const advised = await ask(server(), key, { hash: hashOf('z') });
  expect((await cli('show', advised.id)).stdout).toContain('wants another person to approve it');
  await cli('approve', advised.id);
  expect((await cli('list', '--json')).stdout).toContain('"items":[]');
});
