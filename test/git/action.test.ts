// The GitHub Action's script, as a job would start it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const config = join(project.settings['XDG_CONFIG_HOME']!, 'millrace');
  mkdirSync(config, { recursive: true });
  const forges = { 'forge.example.com': { kind: 'github', api: forge.url } };
  writeFileSync(join(config, 'config.yaml'), JSON.stringify({ forges }));
});
afterEach(async () => {
  await forge.close();
  await project.remove();
});

async function runs(inputs: Record<string, string>) {
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
  expect(ordersIn(ran.printed).sort()).toEqual([
    `::add-mask::${key}`,
    '::add-mask::token-of-the-job',
  ]);
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
