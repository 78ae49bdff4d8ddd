// `millrace requests`: asking for runs from a shell, with a runner that is played over HTTP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { runCli } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { announce, findRequest } from './fake-runner.ts';
import type { FakeRunner } from './fake-runner.ts';

const server = useServer({ trustedProxies: ['127.0.0.1'] });
let key: string;
let runner: FakeRunner;
let settings: Record<string, string>;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-requests-'));
  const person = await newPerson(server());
  const team = (await person.call('POST', '/v1/teams', { name: 'runs' })).body['id'] as string;
  const made = await person.call('POST', '/api/v1/api-keys', {
    name: 'x',
    teamId: team,
    scopes: SCOPES,
  });
  key = made.body['key'] as string;
  runner = await announce(server(), key);
  settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const requests = (...args: string[]) => runHere(['requests', ...args], settings);
const create = (...args: string[]) => requests('create', '--project', 'shop', ...args);
const madeIn = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as { id: string };

it('asks for each kind of work, lists, shows and cancels it', async () => {
  verifies('runners.requests-command');
  expect(await requests('list')).toMatchObject({ code: 0, stderr: 'No run requests found.\n' });
  const flags = ['--model', 'sim-instant', '--agent', 'loop', '--max-cost', '2.50', '--only', 'a'];
  const more = ['--only', 'b', '--branch', 'millrace/x', '--open-request', '--label', 'gpu'];
  const first = await create('--manifest', 'millrace.yaml', ...flags, ...more);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const id = /^(rreq_\w+) {2}queued/.exec(first.stdout)![1]!;
  expect(first.stderr).toContain(`millrace requests get ${id} --wait`);
  expect((await findRequest(server(), key, id))['work']).toMatchObject({
    project: 'shop',
    manifest: { path: 'millrace.yaml' },
    model: 'sim-instant',
    agent: 'loop',
    maxCostUsd: 2.5,
    only: ['a', 'b'],
    branch: 'millrace/x',
    openRequest: true,
    labels: ['gpu'],
  });
  const file = join(folder, 'own.yaml');
  writeFileSync(file, 'feature: x\n');
  const second = madeIn(await create('--manifest-file', file, '--from', 'a', '--json'));
  expect((await findRequest(server(), key, second.id))['work']).toMatchObject({
    manifest: { text: 'feature: x\n' },
    from: 'a',
  });
  const task = 'Do \u001b[31mthis\u001b[0m; rm -rf $(pwd)';
  const third = madeIn(await create('--task', task, '--in-place', '--json'));
  expect((await findRequest(server(), key, third.id))['work']).toMatchObject({
    task,
    inPlace: true,
  });
  const listed = await requests('list', '--status', 'open');
  const [head, ...rows] = listed.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +STATUS +ASKED +BY +PROJECT +RUNNER +WHAT$/);
  expect(rows).toHaveLength(3);
  expect(listed.stdout).not.toContain('\u001b');
  expect((await requests('list', '--limit', '1')).stderr).toContain('requests list --before rreq_');
  expect((await requests('list', '--project', 'other')).stderr).toContain('No run requests');
  const shown = await requests('get', id.slice(5, -4));
  expect(shown.stdout).toContain('No runner of this project has the labels gpu.');
  expect(await requests('cancel', id)).toMatchObject({ code: 0, stdout: `${id}  cancelled\n` });
  expect((await requests('cancel', id)).code).toBe(1);
  expect((await requests('get', 'rreq_01jcq8z5e0')).stderr).toContain('requests list');
});

it.each([
  ['nothing to run', [], 'one of --manifest, --manifest-file, --task and --run'],
  ['two things', ['--task', 'x', '--manifest', 'y'], 'one of --manifest'],
  ['a run without an action', ['--run', 'run_x'], '--action belong together'],
  ['an action without a run', ['--task', 'x', '--action', 'fix'], '--action belong together'],
  ['an unknown action', ['--run', 'run_x', '--action', 'eat'], 'Allowed choices are'],
  ['a file that is not there', ['--manifest-file', '/none.yaml'], 'ENOENT'],
  ['money that is none', ['--task', 'x', '--max-cost', 'much'], 'must be dollars'],
])('is refused with %s', async (_, args, message) => {
  const { code, stderr } = await create(...args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

it('is refused by the server in its words', async () => {
  const { code, stderr } = await requests('create', '--project', 'none', '--task', 'x');
  expect(code).toBe(2);
  expect(stderr).toContain('No runner of this team has a project "none"');
  const run = await create('--run', 'run_none', '--action', 'revert');
  expect(run.stderr).toMatch(/No run|run_none/);
  expect(run.code).not.toBe(0);
});

it('asks for a plan alone, and shows it', async () => {
  const plan = madeIn(await create('--task', 'Search', '--plan-only', '--json'));
  const [planning] = await runner.take();
  expect(planning).toMatchObject({ id: plan.id, work: { task: 'Search', planOnly: true } });
  const outcome = { manifest: 'feature: Search\n\u001b[31m' };
  await runner.say(planning!, 'end', { status: 'completed', outcome });
  expect((await requests('get', plan.id)).stdout).toMatch(/plan Search[^]*\n\nfeature: Search\n/);
});

it('follows a request to its end, with the exit code of its outcome', async () => {
  verifies('runners.requests-command');
  const waiting = create('--task', 'x', '--wait');
  const [request] = await runner.take({ wait: 30 });
  await runner.say(request!, 'progress', { runId: 'run_a', base: 'a'.repeat(40) });
  await runner.say(request!, 'end', {
    status: 'completed',
    outcome: { message: 'done \u001b[2J', branch: 'millrace/x', requestUrl: 'https://example.com' },
  });
  runner.running = [];
  const done = await waiting;
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('completed on build');
  expect(done.stdout).toMatch(/Branch +millrace\/x\n/);
  expect(done.stdout).not.toContain('\u001b');
  const failing = create('--task', 'x', '--wait', '--json');
  const [next] = await runner.take({ wait: 30 });
  const remedy = 'millrace runner allow shop --in-place';
  const outcome = { failure: 'refused', message: 'no', remedy };
  await runner.say(next!, 'end', { status: 'failed', outcome });
  const failed = await failing;
  expect(failed).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', outcome });
  const shown = await requests('get', next!.id);
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain(remedy);
  expect((await requests('get', next!.id, '--wait')).code).toBe(1);
});

it('reads a manifest from standard input', async () => {
  const args = ['requests', 'create', '--project', 'shop', '--manifest-file', '-', '--json'];
  const made = madeIn(await runCli(args, settings, 'feature: piped\n'));
  expect((await findRequest(server(), key, made.id))['work']).toMatchObject({
    manifest: { text: 'feature: piped\n' },
  });
  await waitUntil(async () => (await runner.take()).length > 0, 'it to be taken');
});
