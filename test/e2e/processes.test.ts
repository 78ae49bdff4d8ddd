// `serve` in several processes: one server for those who use it, whatever happens to one of them.
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../src/store/embedded/process-state.ts';
import { findRunningEmbedded } from '../../src/store/embedded/supervisor.ts';
import { createDataFolder } from '../support/chaos/server-process.ts';
import type { DataFolder } from '../support/chaos/server-process.ts';
import { runCli, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { hasPort, processesOf } from '../support/server-processes.ts';

let folder: DataFolder;
let server: ServeProcess;
let url: string;
let key: string;

beforeAll(async () => {
  folder = await createDataFolder();
  const settings = {
    MILLRACE_DATA_DIR: folder.path,
    MILLRACE_PROCESSES: '2',
    MILLRACE_SHUTDOWN_DELAY_SECONDS: '1',
  };
  server = await startServe(['--port', '0'], settings);
  url = server.ready.url!;
  const args = ['api-keys', 'create', '--email', 'processes@example.com', '--json'];
  key = (JSON.parse((await runCli(args, settings)).stdout) as { key: string }).key;
});
afterAll(async () => {
  await server?.kill('SIGKILL');
  await folder.remove();
});

const processes = () => processesOf(server.pid);

const JOB = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 100 };

async function text(path: string): Promise<string> {
  return (await fetch(url + path, { headers: { 'x-api-key': key } })).text();
}

async function submit(body: object = {}): Promise<string> {
  const response = await fetch(`${url}/api/v1/execute`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...JOB, ...body }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { jobId: string }).jobId;
}

async function statusOf(jobId: string, query = ''): Promise<unknown> {
  return (JSON.parse(await text(`/api/v1/job/${jobId}${query}`)) as { status?: unknown }).status;
}

/** A count of all processes. */
async function counted(name: string): Promise<number> {
  const line = (await text('/metrics')).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

const ENDED = 'millrace_jobs_ended_total{outcome="completed"}';

it('is one server: jobs, readiness and metrics of all processes', async () => {
  expect(await text('/readyz')).toBe('{"status":"ready"}');
  expect([...processes().keys()].toSorted()).toEqual(['all 1', 'all 2']);
  expect(await statusOf(await submit(), '?wait=30')).toBe('completed');
  expect(await counted('millrace_jobs_submitted_total{outcome="accepted"}')).toBe(1);
  expect(await counted(ENDED)).toBe(1);
  // What the database knows is not counted once for each process.
  expect(await counted('millrace_jobs_pending')).toBe(0);
});

it('sends text to readers as it comes, not by way of the table', async () => {
  const jobId = await submit({
    prompt: '[[sim:tokens 4000]] [[sim:pace 50]]',
    model: 'sim-standard',
    maxTokens: 4000,
  });
  await waitUntil(async () => (await statusOf(jobId)) === 'running');
  const client = new pg.Client({ connectionString: folder.databaseUrl() });
  await client.connect();
  try {
    // From now on nothing gets into the table.
    await client.query('begin; lock table streamed_text in exclusive mode');
    const written = await client.query<{ end: number }>(
      'select coalesce(max(start_offset + length(chunk)), 0)::int as end from streamed_text where job_id = $1',
      [jobId],
    );
    const reader = await openEvents(`${url}/api/v1/job/${jobId}/events`, { 'x-api-key': key });
    const events = await reader.until(
      ({ event, data }) => event === 'text' && Number(data['offset']) > written.rows[0]!.end,
    );
    // Each continues where the one before it ended, whichever way it came.
    const texts = events.filter(({ event }) => event === 'text').map(({ data }) => data);
    let end = 0;
    for (const { offset, text: piece } of texts) {
      expect(offset).toBe(end);
      end += String(piece).length;
    }
    reader.close();
  } finally {
    await client.end();
  }
  await fetch(`${url}/api/v1/job/${jobId}/cancel`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  });
  expect(await statusOf(jobId, '?wait=30')).toBe('failed');
});

/** The process that runs a job, by what the nodes say; undefined when the job has ended meanwhile. */
async function killRunnerOf(jobId: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: folder.databaseUrl() });
  await client.connect();
  try {
    // A node's session holds a lock, and the server knows whose session it is.
    const portOfRunner = async () => {
      const { rows } = await client.query<{ port: number }>(
        `select a.client_port as port from pg_locks l join pg_stat_activity a on a.pid = l.pid
         join jobs j on j.id = $1 and j.status = 'running'
         where l.locktype = 'advisory' and l.granted
           and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(j.node_id, 7)`,
        [jobId],
      );
      return rows[0]?.port;
    };
    const port = await portOfRunner();
    const found = [...processes()].find(([, each]) => port !== undefined && hasPort(each, port));
    if (found === undefined) return undefined;
    const [name, pid] = found;
    // What it has not said yet, it cannot say any more.
    process.kill(pid, 'SIGSTOP');
    const isRunning = (await portOfRunner()) === port;
    process.kill(pid, isRunning ? 'SIGKILL' : 'SIGCONT');
    return isRunning ? name : undefined;
  } finally {
    await client.end();
  }
}

it('starts a killed process again; its job is done, and its counts stay', async () => {
  const before = processes();
  const ended = await counted(ENDED);
  let jobId = '';
  let jobs = 0;
  let killed: string | undefined;
  // A job that takes longer, if this machine was too slow to meet the one before.
  for (let delayMs = 1000; killed === undefined; delayMs *= 4) {
    jobId = await submit({ prompt: `[[sim:delay ${delayMs}]]` });
    jobs += 1;
    await waitUntil(async () => ['running', 'completed'].includes(String(await statusOf(jobId))));
    killed = await killRunnerOf(jobId);
  }
  const status = () => statusOf(jobId, '?wait=10').catch(() => undefined);
  await waitUntil(async () => (await status()) === 'completed');
  await waitUntil(() => processes().size === 2, 'the process to be back');
  expect(processes().get(killed)).not.toBe(before.get(killed));
  expect(await counted(ENDED)).toBe(ended + jobs);
});

it('answers on the same port after all processes were killed', async () => {
  for (const pid of processes().values()) process.kill(pid, 'SIGKILL');
  // Any free port was asked for; it is chosen once.
  const jobId = await waitUntil(() => submit().catch(() => undefined), 'an answer');
  expect(await statusOf(jobId, '?wait=30')).toBe('completed');
  await waitUntil(() => processes().size === 2, 'both processes');
});

it('stops in order, and not when a process alone is told to', async () => {
  const pids = [...processes().values()];
  expect(pids).toHaveLength(2);
  // As ctrl-c does, which reaches all of them.
  for (const pid of pids) process.kill(pid, 'SIGINT');
  expect(await statusOf(await submit(), '?wait=30')).toBe('completed');
  await server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  // Load balancers are waited for once, not by each process after the other.
  expect(server.output().match(/still answering requests/g)).toHaveLength(1);
  for (const pid of pids) expect(isAlive(pid)).toBe(false);
  expect(findRunningEmbedded(folder.path)).toBeUndefined();
  for (const line of server.output().trim().split('\n')) {
    expect(() => JSON.parse(line) as unknown).not.toThrow();
  }
});

it('does not start, and says why, when a process cannot', async () => {
  const settings = { MILLRACE_DATA_DIR: folder.path, MILLRACE_PRICES_FILE: '/nowhere.json' };
  const args = ['serve', '--port', '0', '--json', '--processes', '2'];
  const { code, stdout } = await runCli(args, settings);
  // As with one process: what is wrong, once, and the exit code for it.
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'CONFIG_INVALID', message: expect.stringContaining('/nowhere.json') },
  });
  expect(findRunningEmbedded(folder.path)).toBeUndefined();
});
