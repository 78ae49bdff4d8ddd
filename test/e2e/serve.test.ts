import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let key: string;
const started: ServeProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const args = ['api-keys', 'create', '--email', 'serve@example.com', '--json'];
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

async function request(url: string | null, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const JOB = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 100 };

describe('millrace serve', () => {
  it('refuses a data folder that it cannot use with one sentence', async () => {
    const isLinux = process.platform === 'linux';
    const unusable = ['/dev/null', '/dev/null/data', ...(isLinux ? ['/proc/data', '/proc/1'] : [])];
    const tries = unusable.map((folder, index) => {
      const args = ['serve', '--port', '0', '--data-dir', folder];
      return runCli([...args, '--processes', String(1 + (index % 2))]);
    });
    for (const { code, stdout, stderr } of await Promise.all(tries)) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^Error: Cannot use the folder \S+: [^.]+ MILLRACE_DATA_DIR\.\n$/);
    }
    const cache = { XDG_CACHE_HOME: '/proc/cache', HOME: '/proc/home' };
    expect((await runCli(['--version'], cache)).code).toBe(0);
  });

  it('says on one line where it is ready, serves, and ends with 0 on SIGTERM', async () => {
    verifies('operator.json', 'operator.exit.ok', 'config.database-url');
    const server = await serve(['--port', '0']);
    expect(server.ready).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      role: 'all',
      // As long as nobody can sign in.
      setupUrl: expect.stringMatching(/\/welcome#mill_ln_/),
    });
    const { status, body } = await request(server.ready.url, 'POST', '/api/v1/execute', JOB);
    expect(status).toBe(202);
    const path = `/api/v1/job/${body['jobId'] as string}?wait=30`;
    expect((await request(server.ready.url, 'GET', path)).body['status']).toBe('completed');
    await server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    // Nothing but JSON, and no key, in all it ever said.
    const lines = server.output().trim().split('\n');
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(server.output()).not.toContain(key);
  });

  it('listens where the settings say', async () => {
    verifies('config.listen', 'config.prefix');
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    const settings = { MILLRACE_HOST: '127.0.0.1', MILLRACE_PORT: String(port) };

    const taken = await runCli(['serve'], { DATABASE_URL: database.url, ...settings });
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(`Cannot listen on 127.0.0.1:${port}`);
    expect(taken.stderr).toContain('--port');

    await new Promise((resolve) => probe.close(resolve));
    const server = await serve([], settings);
    expect(server.ready.url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200);
  });

  it('as api takes jobs and leaves them to a worker', async () => {
    verifies('config.role', 'config.flags-win', 'job.state.pending');
    // The flag wins over the environment.
    const api = await serve(['--port', '0', '--role', 'api'], { MILLRACE_ROLE: 'worker' });
    expect(api.ready.role).toBe('api');
    const { body } = await request(api.ready.url, 'POST', '/api/v1/execute', JOB);
    const path = `/api/v1/job/${body['jobId'] as string}`;
    expect((await request(api.ready.url, 'GET', `${path}?wait=1`)).body).toEqual({
      status: 'pending',
    });
    const worker = await serve([], { MILLRACE_ROLE: 'worker' });
    expect(worker.ready).toEqual({ ready: true, url: null, role: 'worker' });
    await waitUntil(async () => {
      const job = await request(api.ready.url, 'GET', `${path}?wait=10`);
      return job.body['status'] === 'completed';
    });
  });

  it('stops while a reader follows a job and another waits for it', async () => {
    verifies('operator.exit.ok');
    const server = await serve(['--port', '0'], { MILLRACE_DRAIN_SECONDS: '0' });
    const hanging = { ...JOB, prompt: '[[sim:hang]]' };
    const { body } = await request(server.ready.url, 'POST', '/api/v1/execute', hanging);
    const path = `/api/v1/job/${body['jobId'] as string}`;
    const headers = { 'x-api-key': key };
    const stream = await fetch(`${server.ready.url}${path}/events`, { headers });
    const waiting = request(server.ready.url, 'GET', `${path}?wait=60`);
    await waitUntil(async () => {
      const job = await request(server.ready.url, 'GET', path);
      return job.body['status'] === 'running';
    });
    // As when its terminal is closed.
    await server.kill('SIGHUP');
    expect(await server.ended).toBe(0);
    expect((await waiting).status).toBe(200);
    await stream.text();
  });
});
