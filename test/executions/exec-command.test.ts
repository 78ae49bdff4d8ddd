import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { clientOf } from './execution.ts';
import type { ShownExecution } from './execution.ts';

const server = useServer();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-exec-'));
  await writeFile(join(folder, 'a.md'), 'text of a\n');
});
afterAll(() => rm(folder, { recursive: true }));

async function asCaller() {
  const { key } = await server().createKey();
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const model = ['--model', 'sim-instant'];
  return {
    settings,
    client: clientOf(server(), key),
    exec: (...args: string[]) => runEither(['-C', folder, 'exec', ...model, ...args], settings),
  };
}

describe('millrace exec', () => {
  it('starts an execution, with the files, and prints its id', async () => {
    const { exec, client } = await asCaller();
    const ran = await exec('Do it', '--files', 'a.md', '--max-steps', '2');
    expect(ran.code).toBe(0);
    const id = ran.stdout.trim();
    const done = await client.ended(id);
    expect(done.progress.total).toBe(2);
    const { rows } = await server().db.query<{ context: string }>(
      'select context from executions where id = $1',
      [id],
    );
    expect(JSON.parse(rows[0]!.context)).toMatchObject({
      files: ['a.md'],
      contents: { 'a.md': 'text of a\n' },
    });
  });

  it('waits, tells each step beside the result, and prints one document as JSON', async () => {
    const { exec } = await asCaller();
    const ran = await exec('Do it', '--wait');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^3 steps changed 3 files\./);
    expect(ran.stderr).toMatch(/Simulated step 1 of 3 \(step-1\)/);
    expect(ran.stderr).toMatch(/completed after [\d.]+ s: \d+ tokens/);
    const json = await exec('Do it', '--wait', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'completed',
      result: { success: true },
    });
  });

  it('shows a plan without running it', async () => {
    const { exec } = await asCaller();
    const ran = await exec('Do it', '--dry-run');
    expect(ran.stdout).toContain('wave 1: step-1, step-2\nwave 2: step-3\n');
  });

  it('says with its exit code how it ended', async () => {
    const { exec } = await asCaller();
    expect((await exec('x [[sim:auth]]', '--wait')).code).toBe(1);
    expect((await exec('x', '--wait', '--budget', '0.001')).code).toBe(7);
    expect((await exec('x [[sim:hang]]', '--wait', '--timeout', '1000')).code).toBe(124);
    expect((await exec('x', '--max-steps', '0')).code).toBe(2);
    expect((await exec('')).code).toBe(2);
    expect((await exec('x', '--files', '../a')).code).toBe(2);
    expect((await exec('x', '--files', 'missing.md')).code).toBe(2);
    expect((await exec('x', '--budget', 'much')).code).toBe(2);
  });

  it('cancels when it is interrupted', async () => {
    const { settings, client } = await asCaller();
    const args = ['exec', '--model', 'sim-instant', '--wait', '--json', 'x [[sim:hang]]'];
    const child = startNode(MAIN, args, { env: cleanEnv(settings) });
    const running = await waitUntil(async () => {
      const { rows } = await server().db.query<{ id: string }>(
        `select e.id from executions e join jobs j on j.execution_id = e.id
         where j.status = 'running' and e.status = 'running'`,
      );
      return rows[0]?.id;
    }, 'an execution');
    await child.kill('SIGINT');
    expect(await child.ended).toBe(130);
    const shown: ShownExecution = await client.get(running);
    expect(shown.status).toBe('cancelled');
    expect(child.output()).toContain('"status":"cancelled"');
  });
});
