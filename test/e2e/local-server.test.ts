import { existsSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MARK_FILE } from '../../src/platform/server-mark.ts';
import { isAlive } from '../../src/store/embedded/process-state.ts';
import { MAIN, cleanEnv, runCli, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { waitUntil } from '../support/processes.ts';
import { processesOf } from '../support/server-processes.ts';
import { manifestOf } from '../terminal/run-project.ts';

let base: string;
let dataDir: string;
let settings: Record<string, string>;
const started: ServeProcess[] = [];
const foreign: Server[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace-local-'));
  // As root the database runs as another user, who must be able to reach it here.
  await chmod(base, 0o755);
  dataDir = join(base, 'data');
  settings = {
    MILLRACE_DATA_DIR: dataDir,
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
  };
});
afterEach(async () => {
  for (const server of foreign.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  for (const server of started.splice(0)) await server.kill('SIGKILL');
  await rm(base, { recursive: true, force: true, maxRetries: 20 });
});

/** Takes every request for one of its own, as any service on that port might. */
async function listenAsForeign(port: number, seen: IncomingHttpHeaders[]): Promise<boolean> {
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'ok', version: '0.0.0', proof: '00'.repeat(32) }));
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => {
      foreign.push(server);
      resolve(true);
    });
  });
}

async function run(name: string) {
  const file = join(base, `${name}.yaml`);
  await writeFile(file, manifestOf([{ id: name }]));
  return runCli(['-C', base, 'run', file, '--yes'], settings);
}

/** Unless told, clients give up after a minute. */
const PATIENT = { timeout: PATIENCE_MS };

async function newSession(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = cleanEnv({
    ...settings,
    MILLRACE_WORKSPACE: base,
    MILLRACE_SOFT_DEADLINE_MS: String(PATIENCE_MS),
  }) as Record<string, string>;
  const program = { command: process.execPath, args: [MAIN, 'mcp'], env, stderr: 'pipe' as const };
  await client.connect(new StdioClientTransport(program), PATIENT);
  return client;
}

/** The server that an assistant's tools start is there for other commands, too. */
async function useTools(): Promise<void> {
  const client = await newSession();
  try {
    const params = { name: 'millrace_execute', arguments: { task: 'Add a page' } };
    const { structuredContent } = await client.callTool(params, PATIENT);
    const { executionId, result } = structuredContent as {
      executionId: string;
      result: { applyCommand: string; artifacts: { operations: { path: string }[] }[] };
    };
    expect(result.applyCommand).toContain(`apply ${executionId}`);
    const applied = await runCli(['-C', base, 'apply', executionId], settings);
    expect(applied.code, applied.stderr).toBe(0);
    expect(applied.stderr).not.toContain('Starting a server');
    const { path } = result.artifacts[0]!.operations[0]!;
    expect(existsSync(join(base, path))).toBe(true);
  } finally {
    await client.close();
  }
}

describe('sessions of assistants that share a server', () => {
  it('get their results also when the one that started it ends', async () => {
    const first = await newSession();
    const params = { name: 'millrace_execute', arguments: { task: 'Add a page' } };
    const started = await first.callTool(params, PATIENT);
    expect(started.structuredContent).toMatchObject({ status: 'success' });
    const others = await Promise.all([newSession(), newSession()]);
    const begun = others.map(() => Promise.withResolvers<void>());
    const waiting = others.map((client, n) =>
      client.callTool(
        {
          name: 'millrace_execute',
          arguments: { task: `Add page ${n} [[sim:delay 5000]]` },
        },
        { ...PATIENT, onprogress: () => begun[n]!.resolve() },
      ),
    );
    await Promise.all(begun.map(({ promise }) => promise));
    await first.close();
    // One of them starts a server in its place, and the other one finds it there.
    for (const { structuredContent, content } of await Promise.all(waiting)) {
      expect(structuredContent, JSON.stringify(content)).toMatchObject({ status: 'success' });
    }
    for (const client of others) await client.close();
  });
});

describe('a run that names no server', () => {
  it('uses the server of its data folder, and after a crash sends no key to who listens there', async () => {
    // In two processes: each can prove whose server it is, and none outlives the supervisor.
    const server = await startServe(['--port', '0', '--processes', '2'], settings);
    started.push(server);
    expect(statSync(join(dataDir, MARK_FILE)).mode & 0o777).toBe(0o600);

    const processes = [...processesOf(server.pid).values()];
    expect(processes).toHaveLength(2);
    // Busy for a while: to start another one on the same folder would fail.
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    const running = run('beside');
    await delay(4000);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    const beside = await running;
    expect(beside.code, beside.stderr).toBe(0);
    expect(beside.stderr).not.toContain('Starting a server');

    await server.kill('SIGKILL');
    for (const pid of processes) await waitUntil(() => !isAlive(pid), 'the end of a process');
    expect(existsSync(join(dataDir, MARK_FILE))).toBe(true);
    const seen: IncomingHttpHeaders[] = [];
    const port = Number(new URL(server.ready.url!).port);
    // A connection of somebody else may have got it for a moment.
    await waitUntil(() => listenAsForeign(port, seen), 'the port of the server');
    // The usual port, too, unless something on this machine has it.
    await listenAsForeign(4747, seen);

    const alone = await run('alone');
    expect(alone.code, alone.stderr).toBe(0);
    expect(alone.stderr).toContain('Starting a server');
    expect(seen.length).toBeGreaterThan(0);
    for (const headers of seen) {
      expect(headers).not.toHaveProperty('x-api-key');
      expect(headers).not.toHaveProperty('authorization');
    }
    await useTools();
  });
});

describe('millrace serve on a port that is taken', () => {
  it('says so, and makes neither a folder nor a database', async () => {
    await listenAsForeign(0, []);
    const { port } = foreign[0]!.address() as { port: number };
    const taken = await runCli(['serve', '--port', String(port)], settings);
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(`Cannot listen on 127.0.0.1:${port}`);
    expect(existsSync(dataDir)).toBe(false);
  });
});
