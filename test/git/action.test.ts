// The GitHub Action's script, as a job would start it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanEnv } from '../support/cli.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { startForge } from './forge-double.ts';
import type { ForgeDouble } from './forge-double.ts';
import { startGitServer } from './git-server.ts';
import { gitIn, makeRepository } from './repository.ts';

const ENTRY = fileURLToPath(new URL('../../scripts/action/entry.mjs', import.meta.url));
const server = useServer();
let project: RunProject;
let forge: ForgeDouble;

beforeEach(async () => {
  project = await createRunProject(server());
  const noisy = [
    'echo "::error::not an order" && echo "::set-output name=url::https://evil.example.com"',
  ];
  await project.write(
    'm.yaml',
    manifestOf([
      { id: 'a', verify: noisy },
      { id: 'b', deps: ['a'], directives: 'A | pipe <b>' },
    ]),
  );
  const git = makeRepository(project.folder);
  const bare = `${project.folder}.git`;
  gitIn(join(project.folder, '..'))('clone', '-q', '--bare', project.folder, bare);
  forge = await startForge('github', bare);
  git('remote', 'add', 'origin', 'https://forge.example.com/o/r.git');
  git('config', `url.${bare}.insteadOf`, 'https://forge.example.com/o/r.git');
});
afterEach(async () => {
  await forge.close();
  await project.remove();
});

const MASKS = [
  'token-of-the-job',
  Buffer.from('x-access-token:token-of-the-job').toString('base64'),
];

async function runs(inputs: Record<string, string>, more: Record<string, string> = {}) {
  const [output, summary] = ['output', 'summary'].map((name) => join(project.folder, '..', name));
  for (const file of [output!, summary!]) writeFileSync(file, '');
  const { MILLRACE_URL: url, MILLRACE_API_KEY: key, ...settings } = project.settings;
  const given = { url: url!, 'api-key': key!, token: 'token-of-the-job', ...inputs };
  const child = spawn('node', [ENTRY], {
    cwd: project.folder,
    env: cleanEnv({
      ...settings,
      ...Object.fromEntries(
        Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      GITHUB_SERVER_URL: 'https://forge.example.com',
      GITHUB_API_URL: forge.url,
      ...more,
      GITHUB_OUTPUT: output!,
      GITHUB_STEP_SUMMARY: summary!,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const outputs = new Map<string, string>();
  const lines = readFileSync(output!, 'utf8').split('\n');
  for (let at = 0; at + 2 < lines.length; at += 3) {
    outputs.set(lines[at]!.split('<<')[0]!, lines[at + 1]!);
  }
  return {
    code: child.exitCode,
    printed,
    errors,
    outputs,
    summary: readFileSync(summary!, 'utf8'),
  };
}

/** What a job would take for orders: what stands outside of the guarded parts. */
function ordersIn(printed: string): string[] {
  const orders: string[] = [];
  let guard: string | undefined;
  for (const line of printed.split('\n')) {
    const [, begun] = /^::stop-commands::(.+)$/.exec(line) ?? [];
    if (guard === undefined && begun !== undefined) guard = begun;
    else if (guard !== undefined && line === `::${guard}::`) guard = undefined;
    else if (guard === undefined && line.startsWith('::')) orders.push(line);
  }
  return orders;
}

it('runs a manifest on a branch, opens a request, and says so in the page of the job', async () => {
  const ran = await runs({
    manifest: 'm.yaml',
    draft: 'true',
    reviewers: 'octocat',
    title: 'Do it',
  });
  expect({ code: ran.code, errors: ran.errors }).toMatchObject({ code: 0 });
  expect(forge.requests).toMatchObject([
    { head: 'millrace/test', base: 'main', title: 'Do it', draft: true, reviewers: ['octocat'] },
  ]);
  expect(Object.fromEntries(ran.outputs)).toMatchObject({
    status: 'complete',
    branch: 'millrace/test',
    number: '1',
    url: 'https://forge.example.com/o/r/pull/1',
  });
  expect(ran.summary).toContain('[#1](https://forge.example.com/o/r/pull/1)');
  expect(ran.summary).toMatch(/\| About a \| complete \|/);
  const key = project.settings['MILLRACE_API_KEY']!;
  const masks = [key, ...MASKS].map((secret) => `::add-mask::${secret}`);
  expect(ordersIn(ran.printed).sort()).toEqual(masks.sort());
  expect(forge.asked.every(({ token }) => token === 'Bearer token-of-the-job')).toBe(true);
});

it('plans a task first, and ends with the exit code and the reason of what fails', async () => {
  const task = await runs({ task: 'Describe the shelves\n::error::x', model: 'sim-instant' });
  // What the simulator plans and writes for it is not the point, and may not pass the project's checks.
  expect(task.outputs.get('branch')).toBe('millrace/describe-the-shelves');
  expect(task.outputs.get('status')).toBe(task.code === 0 ? 'complete' : 'failed');
  expect(forge.requests).toHaveLength(task.code === 0 ? 1 : 0);
  expect(ordersIn(task.printed)).not.toContain('::error::x');
  const before = forge.requests.length;
  await project.write('m.yaml', manifestOf([{ id: 'a', verify: ['exit 3'] }]));
  const failed = await runs({ manifest: 'm.yaml' });
  expect(failed.code).toBe(1);
  expect(failed.outputs.get('status')).toBe('failed');
  expect(failed.outputs.get('number')).toBe('');
  expect(failed.summary).toContain('### Millrace: failed');
  expect(ordersIn(failed.printed)).toContain('::error::The run ended with exit code 1: failed.');
  const neither = await runs({});
  expect(neither.code).toBe(2);
  expect(neither.printed).toContain('Name a manifest or a task');
  expect(forge.requests).toHaveLength(before);
});

it('works in a checkout as jobs have it: one commit, no branch, no login, and a server of its own name', async () => {
  const bare = `${project.folder}.git`;
  const others = gitIn(bare);
  rmSync(project.folder, { recursive: true });
  const around = gitIn(join(project.folder, '..'));
  around('clone', '-q', '--depth=1', `file://${bare}`, project.folder);
  const git = gitIn(project.folder);
  git('checkout', '-q', '--detach');
  git('remote', 'set-url', 'origin', 'https://forge.example.com/o/r.git');
  git('config', `url.file://${bare}.insteadOf`, 'https://forge.example.com/o/r.git');
  // Meanwhile.
  const other = join(project.folder, '..', 'other');
  others('worktree', 'add', '-q', other, 'main');
  const author = ['-c', 'user.name=Other', '-c', 'user.email=other@example.com'];
  others('-C', other, ...author, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');
  const job = { GITHUB_RUN_ID: '123', GITHUB_RUN_ATTEMPT: '2' };
  const ran = await runs({ manifest: 'm.yaml' }, job);
  expect({ code: ran.code, errors: ran.errors }).toMatchObject({ code: 0 });
  expect(ran.outputs.get('branch')).toBe('millrace/m-123-2');
  expect(forge.requests).toMatchObject([{ head: 'millrace/m-123-2', state: 'open' }]);
  const subjects = others('log', '--format=%s', 'millrace/m-123-2').trim().split('\n');
  expect(subjects).toEqual(['About b', 'About a', 'meanwhile', 'start']);
  // The next job has another checkout, and the branch is there already.
  const taken = await runs({ manifest: 'm.yaml', branch: 'millrace/m-123-2' }, job);
  expect(taken.code).toBe(2);
  expect(taken.printed).toContain('There is a branch "millrace/m-123-2" already');
});

it('takes every input for a text, whatever is in it', async () => {
  const evil = '$(touch evil) `touch evil` "\'; touch evil;\n::set-output name=url::x\n--draft %0A';
  const ran = await runs({ manifest: 'm.yaml', title: evil, reviewers: '--draft' });
  expect({ code: ran.code, errors: ran.errors }).toMatchObject({ code: 0 });
  expect(forge.requests[0]).toMatchObject({ title: evil.trim(), draft: false });
  expect(ran.outputs.get('url')).toBe('https://forge.example.com/o/r/pull/1');
  for (const name of ['manifest', 'model', 'max-cost', 'base', 'branch', 'agent']) {
    const bad = await runs({ manifest: 'm.yaml', [name]: evil });
    expect(bad.code, name).not.toBe(0);
    expect(ordersIn(bad.printed).filter((line) => line.includes('set-output'))).toEqual([]);
    expect(bad.outputs.get('url') ?? '').toBe('');
  }
  const git = gitIn(project.folder);
  expect(git('status', '--porcelain')).toBe('');
});

it('says in the page why no request was opened, as text and nothing else', async () => {
  forge.next = ({ method, path }) =>
    method === 'POST' && path.endsWith('/pulls')
      ? { status: 403, body: { message: 'Not permitted ![x](https://evil.example.com) <b>' } }
      : undefined;
  const ran = await runs({ manifest: 'm.yaml' });
  expect(ran.code).toBe(4);
  expect(Object.fromEntries(ran.outputs)).toMatchObject({ status: 'complete', number: '' });
  const problem = 'The run is complete, and no request was opened for it: exit code 4.';
  expect(ordersIn(ran.printed)).toContain(`::error::${problem}`);
  expect(ran.summary).toContain(problem);
  expect(ran.summary).toContain('Not permitted');
  expect(ran.summary).not.toMatch(/!\[x\]\(|<b>/);
  expect(ran.summary).toContain(
    String.raw`Not permitted \!\[x\]\(https://evil.example.com\) &lt;b>`,
  );
});

it('refuses before anything is paid for: a fork, no token, no repository', async () => {
  const event = join(project.folder, '..', 'event.json');
  const [base, fork] = ['o/r', 'stranger/r'].map((name) => ({ full_name: name }));
  const of = (repo: unknown) =>
    JSON.stringify({ repository: base, pull_request: { head: { repo } } });
  writeFileSync(event, of(fork));
  const job = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event };
  const forked = await runs({ manifest: 'm.yaml' }, job);
  expect(forked.code).toBe(2);
  expect(forked.printed).toContain('a pull request from a fork (stranger/r)');
  expect(forked.summary).toContain('its token may only read');
  const none = await runs({ manifest: 'm.yaml', token: '' });
  expect(none.printed).toContain('The input "token" is empty');
  const strange = await runs({ manifest: 'm.yaml' }, { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' });
  expect(strange.printed).toContain('Put actions/checkout before this step');
  const { stderr } = await project.millrace(['run', 'm.yaml', '--git', 'branch'], {
    GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
  });
  expect(stderr).toContain('belongs to another user');
  expect(stderr).toMatch(/git config --global --add safe\.directory \S*bookshelf/);
  expect(forge.asked).toEqual([]);
});

it('gives the token to no command of the run', async () => {
  const seen = join(project.folder, '..', 'seen');
  const verify = [`env | grep -c of-the-job >> ${seen} || true`];
  await project.write('m.yaml', manifestOf([{ id: 'a', verify }]));
  const ran = await runs({ manifest: 'm.yaml' }, { GITHUB_TOKEN: 'of-the-job' });
  expect({ code: ran.code, errors: ran.errors }).toMatchObject({ code: 0 });
  expect(readFileSync(seen, 'utf8').split('\n')[0]).toBe('0');
});

it('pushes with its own token, whatever login the checkout has left', async () => {
  const bare = `${project.folder}.git`;
  gitIn(bare)('config', 'http.receivepack', 'true');
  const git = gitIn(project.folder);
  const servers = await startGitServer(bare, `Basic ${MASKS[1]!}`);
  try {
    git('config', '--unset-all', `url.${bare}.insteadOf`);
    git('remote', 'set-url', 'origin', `${servers.url}/o/r.git`);
    // As the action that makes the checkout leaves it; two of these in one call are refused.
    git('config', `http.${servers.url}/.extraheader`, 'AUTHORIZATION: basic b2xkOm9sZA==');
    const ran = await runs({ manifest: 'm.yaml' }, { GITHUB_SERVER_URL: servers.url });
    expect({ code: ran.code, errors: ran.errors }).toMatchObject({ code: 0 });
    expect(gitIn(bare)('branch', '--list', 'millrace/test').trim()).toBe('millrace/test');
    expect(servers.accepted()).toBeGreaterThan(2);
  } finally {
    await servers.close();
  }
});
