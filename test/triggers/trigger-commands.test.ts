import { beforeAll, expect, it } from 'vitest';
import { createOwner } from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { runEither } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { githubLabelled } from './payloads.ts';
import { sendGithub } from './triggers.ts';

const server = useServer({ role: 'api' });
let owner: Owner;
beforeAll(async () => {
  owner = await createOwner(server());
});

async function cli(...args: string[]) {
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: owner.key };
  const { code, stdout, stderr } = await runEither(['triggers', ...args], settings);
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

it('triggers can be added, shown, tested, called, replayed, rotated and removed', async () => {
  verifies('triggers.commands');
  const events = [
    '--repository',
    'example/shop',
    '--on',
    'issue_labeled,comment',
    '--labels',
    'agent',
  ];
  const work = [
    '--project',
    'shop',
    '--task',
    'Fix {{issue.title}}',
    '--branch',
    'millrace/{{issue.number}}',
  ];
  const added = await cli('add', 'Fix', '--kind', 'github', ...events, ...work, '--budget', '20');
  expect(added.code, added.stderr).toBe(0);
  const [, id, secret] = /^(trg_\w+) http\S+\n(mill_tg_\S+)\n$/.exec(added.stdout)!;
  expect(added.stderr).toContain('It is not shown again');
  const [head, row] = (await cli('list')).stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +STATUS +KIND +LAST +OF +NAME$/);
  expect(row).toMatch(/active +github +example\/shop +Fix$/);
  const short = row!.split(' ')[0]!;
  const shown = await cli('show', short);
  expect(shown.stdout).toContain('issue_labeled, comment');
  expect(shown.stdout).toContain('labels agent');
  expect(shown.stdout).not.toContain(secret);
  expect((await cli('test', short)).stdout).toMatch(
    /^Branch: millrace\/12\nFix \[issue\.title\]\n/,
  );
  const sent = await sendGithub(server(), { id: id!, secret: secret! }, 'issues', githubLabelled());
  expect(sent.status).toBe(202);
  const listed = await cli('deliveries', short);
  expect(listed.stdout).toMatch(/^tdel_\w+ .* started {2}issues {2}octocat {2}rreq_\w+ queued\n$/);
  const delivery = listed.stdout.split(' ')[0]!;
  expect((await cli('set', short, '--labels', 'other')).stdout).toContain('labels other');
  expect((await cli('replay', short, delivery)).stdout).toMatch(
    /ignored .*None of its labels.* replay/,
  );
  expect((await cli('rotate', short, '--grace', '0')).stdout).toMatch(/^mill_tg_\S+\n$/);
  expect((await cli('pause', short)).stdout).toContain('paused: A person paused it');
  expect((await cli('resume', short)).stdout).toMatch(/Status +active/);
  expect((await cli('rm', id!)).stdout).toBe(`Deleted ${id}.\n`);
});

it.each([
  [['add', 'x', '--project', 'shop', '--task', 'y'], '--kind'],
  [['add', 'x', '--kind', 'github', '--project', 'shop', '--task', 'y'], 'repository is required'],
  [['add', 'x', '--kind', 'url', '--project', 'shop', '--task', '{{x}}'], 'values.NAME'],
  [
    ['add', 'x', '--kind', 'url', '--project', 'shop', '--task', 'y', '--branch', 'main'],
    'millrace/',
  ],
  [['rotate', 'trg_01jcq8z5e0e5v8r3m6k1t2w9xh', '--grace', '48'], 'gracePeriodHours'],
  [['show', 'trg_01jcq8z5e0e5v8r3m6k1t2w9xh'], 'no trigger with this id'],
])('%j says what is wrong', async (args, text) => {
  verifies('triggers.commands');
  const { code, stderr } = await cli(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(text);
});
