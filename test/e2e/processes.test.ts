// `serve` in several processes: one server for those who use it, whatever happens to one of them.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../src/store/embedded/process-state.ts';
import { runCli, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';

let database: TestDatabase;
let key: string;
const started: ServeProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const args = ['api-keys', 'create', '--email', 'processes@example.com', '--json'];
  const made = await runCli(args, { DATABASE_URL: database.url });
  key = (JSON.parse(made.stdout) as { key: string }).key;
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill('SIGKILL');
});
afterAll(() => database.drop());

async function serve(args: string[], settings: Record<string, string> = {}) {
  const server = await startServe(args, { DATABASE_URL: database.url, ...settings });
  started.push(server);
  return server;
}

/** The processes of a server, by what they are: `api 1`, `worker 1`. */
function processesOf({ pid }: ServeProcess): Map<string, number> {
  const path = `/proc/${pid}/task/${pid}/children`;
  const pids = readFileSync(path, 'utf8').trim().split(' ').map(Number);
  return new Map(
    pids.map((child) => {
      const words = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0');
      return [words.slice(-3).join(' ').trim(), child] as const;
    }),
  );
}

async function text(url: string, path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { 'x-api-key': key } });
  return response.text();
}

async function submit(url: string, prompt = 'x'): Promise<string> {
  const response = await fetch(`${url}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ streamId: 'a', prompt, model: 'sim-instant', maxTokens: 100 }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { jobId: string }).jobId;
}

async function statusOf(url: string, jobId: string, query = ''): Promise<unknown> {
  const body = JSON.parse(await text(url, `/api/v1/job/${jobId}${query}`)) as object;
  return 'status' in body ? body.status : body;
}

it('is one server: jobs, readiness, metrics, the log and the end', async () => {
  const server = await serve(['--port', '0', '--processes', '2']);
  const url = server.ready.url!;
  expect(await text(url, '/readyz')).toBe('{"status":"ready"}');
  const processes = processesOf(server);
  expect([...processes.keys()].toSorted()).toEqual(['api 1', 'worker 1']);

  for (const _ of [1, 2])
    expect(await statusOf(url, await submit(url), '?wait=30')).toBe('completed');
  const metrics = await text(url, '/metrics');
  expect(metrics).toContain('millrace_jobs_submitted_total{outcome="accepted"} 2\n');
  expect(metrics).toContain('millrace_jobs_ended_total{outcome="completed"} 2\n');
  expect(metrics).toContain('millrace_jobs_pending 0\n');

  // As ctrl-c does: the processes leave it to their supervisor when to stop.
  for (const pid of processes.values()) process.kill(pid, 'SIGINT');
  expect(await statusOf(url, await submit(url), '?wait=30')).toBe('completed');
  await server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  for (const pid of processes.values()) expect(isAlive(pid)).toBe(false);
  for (const line of server.output().trim().split('\n')) {
    expect(() => JSON.parse(line) as unknown).not.toThrow();
  }
});

it('starts a process again that was killed, and loses nothing', async () => {
  const server = await serve(['--port', '0', '--processes', '2']);
  const url = server.ready.url!;
  const before = processesOf(server);
  const jobId = await submit(url, '[[sim:delay 1000]]');
  await waitUntil(async () => (await statusOf(url, jobId)) === 'running');
  process.kill(before.get('worker 1')!, 'SIGKILL');
  await waitUntil(async () => (await statusOf(url, jobId, '?wait=10')) === 'completed');
  expect(await text(url, '/readyz')).toBe('{"status":"ready"}');
  expect(processesOf(server).get('worker 1')).not.toBe(before.get('worker 1'));

  process.kill(before.get('api 1')!, 'SIGKILL');
  // On the same port, although any free one was asked for.
  const second = await waitUntil(() => submit(url).catch(() => undefined), 'an answer');
  expect(await statusOf(url, second, '?wait=30')).toBe('completed');
  const after = processesOf(server);

  // Without their supervisor they end, too.
  await server.kill('SIGKILL');
  for (const pid of after.values()) await waitUntil(() => !isAlive(pid));
});
