import { beforeAll, expect, it } from 'vitest';
import { runEither } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { createOwner } from './schedules.ts';
import type { Owner } from './schedules.ts';

const server = useServer({ role: 'api' });
let owner: Owner;
beforeAll(async () => {
  owner = await createOwner(server());
});

async function cli(...args: string[]) {
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: owner.key };
  const { code, stdout, stderr } = await runEither(['schedules', ...args], settings);
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

it('schedules can be added, shown, listed, changed, paused, run and removed', async () => {
  verifies('schedules.commands');
  const times = ['--cron', '0 2 * * *', '--time-zone', 'Europe/Berlin', '--catch-up', 'none'];
  const work = ['--project', 'shop', '--manifest', 'nightly.yaml', '--max-cost', '2', '--open'];
  const rules = ['--overlap', 'cancel_older', '--budget', '20', '--pause-after', '3'];
  const added = await cli('add', 'Nightly', ...times, ...work, ...rules, '--json');
  expect(added.code, added.stderr).toBe(0);
  expect(added.json()).toMatchObject({
    name: 'Nightly',
    cron: '0 2 * * *',
    timeZone: 'Europe/Berlin',
    catchUp: 'none',
    work: { project: 'shop', manifest: { path: 'nightly.yaml' }, maxCostUsd: 2, openRequest: true },
    overlap: 'cancel_older',
    budgetUsdPerMonth: 20,
    pauseAfterFailures: 3,
  });
  const id = added.json()['id'] as string;
  const [head, row] = (await cli('list')).stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +STATUS +TIMES +NEXT +LAST +NAME$/);
  expect(row).toMatch(/active +0 2 \* \* \* Europe\/Berlin .*Nightly$/);
  const short = row!.split(' ')[0]!;
  const shown = await cli('show', short);
  expect(shown.stdout).toContain('$0.0000 this month, of $20.0000');
  // On a machine in Berlin both clocks show the same.
  const next = /^ {2}Next +\S+ (02:00|\d\d:\d\d {2}\(\S+ 02:00 in Europe\/Berlin\))$/m;
  expect(shown.stdout).toMatch(next);
  const set = await cli(
    'set',
    short,
    '--every',
    '6h',
    '--budget',
    'none',
    '--pause-after',
    'never',
    '--json',
  );
  expect(set.json()).toMatchObject({
    cron: null,
    everySeconds: 21_600,
    budgetUsdPerMonth: null,
    pauseAfterFailures: null,
  });
  expect((await cli('pause', short)).stdout).toContain('paused: A person paused it');
  const ran = await cli('run-now', short);
  expect(ran.stdout, ran.stderr).toMatch(/started {2}rreq_\w+ queued {2}run now/);
  expect((await cli('firings', short)).stdout).toMatch(/started {2}rreq_\w+ queued/);
  expect((await cli('resume', short)).stdout).toMatch(/Status +active/);
  expect((await cli('rm', id)).stdout).toBe(`Deleted ${id}.\n`);
  expect((await cli('list', '--json')).json()).toEqual({ items: [] });
});

it.each([
  [['add', 'x', '--project', 'shop', '--task', 'y'], 'give one of --cron and --every'],
  [['add', 'x', '--cron', '0 0 30 2 *', '--project', 'shop', '--task', 'y'], 'is never due'],
  [['add', 'x', '--every', '5s', '--project', 'shop', '--task', 'y'], 'at least 1m'],
  [['add', 'x', '--every', '1h', '--project', 'shop'], 'one of --manifest and --task'],
  [['add', 'x', '--every', '1h', '--task', 'y'], '--project is missing'],
  [['set', 'sch_01jcq8z5e0e5v8r3m6k1t2w9xh'], 'nothing to change'],
  [['show', 'sch_01jcq8z5e0e5v8r3m6k1t2w9xh'], 'no schedule with this id'],
])('%j says what is wrong', async (args, text) => {
  verifies('schedules.commands');
  const { code, stderr } = await cli(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(text);
});
