// What goes wrong between an assistant, its tools and the server, one thing at a time, with real
// processes. Whatever it is: the execution is neither lost nor doubled, and its tokens count once.
// Nothing here is a matter of time: the model answers when the test lets it.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExecuteOutput, StatusOutput } from '../../src/tools/tool-schemas.ts';
import { MAIN, cleanEnv, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { LEDGER_CHECKS } from '../support/ledger-sums.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { callTool, newFolder } from './assistant.ts';
import { GATED_MODEL, startGatedModel } from './gated-model.ts';
import type { GatedModel } from './gated-model.ts';
import { PATIENCE_MS } from '../support/patience.ts';

interface Tools {
  client: Client;
  pid: number;
  /** Of the process. */
  closed: Promise<void>;
}

const place = newFolder();
let model: GatedModel;
/** Has the database, and does no work. */
let database: TestServer;
let key = '';
let server: ServeProcess;
let tools: Tools;

async function launchServer(port = '0'): Promise<ServeProcess> {
  return startServe(['--port', port, '--data-dir', join(place.folder, 'data')], {
    DATABASE_URL: database.databaseUrl,
    MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
    MILLRACE_OPENAI_BASE_URL: model.url,
    MILLRACE_OPENAI_API_KEY: 'sk-test',
    MILLRACE_DEFAULT_MODEL: GATED_MODEL,
    MILLRACE_DRAIN_SECONDS: '0',
  });
}

async function launchTools(): Promise<Tools> {
  const env = {
    MILLRACE_URL: server.ready.url!,
    MILLRACE_API_KEY: key,
    MILLRACE_WORKSPACE: place.root,
    MILLRACE_STATE_DIR: join(place.folder, 'state'),
    MILLRACE_CONFIG_DIR: join(place.folder, 'config'),
    // A server that is started again may take its time.
    MILLRACE_SOFT_DEADLINE_MS: '600000',
  };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: cleanEnv(env) as Record<string, string>,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'faults', version: '1' });
  const closed = new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }));
  await client.connect(transport);
  return { client, pid: transport.pid!, closed };
}

beforeAll(async () => {
  model = await startGatedModel();
  database = await startTestServer({ role: 'api' });
  key = (await database.createKey()).key;
  server = await launchServer();
  tools = await launchTools();
}, 120_000);
afterAll(async () => {
  await tools.client.close();
  await server.kill('SIGTERM');
  await database.close();
  await model.close();
  place.remove();
});

const LONG = { timeout: PATIENCE_MS };
type Calling = Promise<{ output: ExecuteOutput; text: string }>;

function execute(task: string, more: object = {}): Calling {
  return callTool<ExecuteOutput>(tools.client, 'execute', { task }, { ...LONG, ...more });
}

async function status(): Promise<StatusOutput> {
  const input = { executionId: 'latest' };
  return (await callTool<StatusOutput>(tools.client, 'status', input, LONG)).output;
}

async function untilEnded(): Promise<StatusOutput> {
  for (;;) {
    const looked = await status();
    if (looked.status !== 'running') return looked;
  }
}

interface Row {
  /** What becomes of the call that was under way; a text is what the client says of it. */
  call: 'answered' | RegExp;
  /** How the client gives up, where it does. */
  options?: (stop: AbortController) => object;
  /** While the step is with the model. */
  fault(stop: AbortController): Promise<void>;
  /** What was started for the task in all, and how it ended, the oldest first. */
  executions?: string[];
  /** Calls of the step that the model saw: one that was cut off with its server is made again. */
  stepCalls?: number;
}

const SURVIVED = ['completed'];

const ROWS: Record<string, Row> = {
  'the client runs out of patience': {
    call: /timed out/i,
    options: (stop) => ({ signal: stop.signal }),
    fault: async (stop) => stop.abort('Request timed out'),
  },
  'the user stops the call': {
    call: /Esc/,
    options: (stop) => ({ signal: stop.signal }),
    async fault(stop) {
      stop.abort('user pressed Esc');
      // Nothing is joined after that: the user wanted it stopped.
      const { rows } = await database.db.query<{ id: string }>(
        'select id from executions order by id desc limit 1',
      );
      await expect.poll(async () => (await execution(rows[0]!.id))?.status).toBe('cancelled');
    },
    executions: ['cancelled', 'completed'],
    stepCalls: 2,
  },
  'the assistant goes away, and its input ends': {
    call: /closed/i,
    async fault() {
      await tools.client.close();
      await tools.closed;
      tools = await launchTools();
    },
  },
  'the process of the tools is killed': {
    call: /closed/i,
    async fault() {
      process.kill(tools.pid, 'SIGKILL');
      await tools.closed;
      tools = await launchTools();
    },
  },
  'the server is killed, and started again': {
    call: 'answered',
    async fault() {
      await server.kill('SIGKILL');
      server = await launchServer(new URL(server.ready.url!).port);
    },
    stepCalls: 2,
  },
  'the server is stopped, and started again': {
    call: 'answered',
    async fault() {
      await server.kill('SIGTERM');
      server = await launchServer(new URL(server.ready.url!).port);
    },
    stepCalls: 2,
  },
};

async function execution(id: string) {
  const { rows } = await database.db.query<{ status: string }>(
    'select status from executions where id = $1',
    [id],
  );
  return rows[0];
}

it.each(Object.entries(ROWS))('%s', async (name, row) => {
  const path = `${name.replaceAll(/\W+/g, '-')}.ts`;
  const task = `Make file:${path}`;
  model.hold();
  const stop = new AbortController();
  const told = Promise.withResolvers<void>();
  const onprogress = () => told.resolve();
  const calling = execute(task, { onprogress, ...row.options?.(stop) });
  const settled = calling.then(
    ({ output, text }) => output ?? text,
    (error: unknown) => error as Error,
  );
  // The call waits, and the model has the step.
  expect(await Promise.race([told.promise, settled])).toBeUndefined();
  await model.untilAsked(path);
  await row.fault(stop);
  if (row.call === 'answered') model.open();
  const outcome = await settled;
  if (row.call !== 'answered') {
    expect(outcome).toBeInstanceOf(Error);
    expect((outcome as Error).message).toMatch(row.call);
    // The same call again: it joins what is running, and gets the result.
    const retried = execute(task);
    await model.untilAsked(path, row.executions?.length ?? 1);
    model.open();
    const { output } = await retried;
    expect(output).toMatchObject({
      status: 'success',
      result: { artifacts: [{ operations: [{ path }] }] },
    });
  } else {
    expect(outcome).toMatchObject({
      status: 'success',
      result: { artifacts: [{ operations: [{ path }] }] },
    });
  }
  expect(await untilEnded()).toMatchObject({
    status: 'success',
    result: { artifacts: [{ operations: [{ path }] }] },
  });

  const { rows } = await database.db.query<{ id: string; status: string; tokens: number }>(
    `select e.id, e.status, (r.tokens_input + r.tokens_output)::float8 as tokens
     from executions e join runs r on r.id = e.run_id where e.task like $1 order by e.id`,
    [`%${path}%`],
  );
  const expected = row.executions ?? SURVIVED;
  expect(rows.map((each) => each.status)).toEqual(expected);
  const calls = model.callsFor(path);
  const stepCalls = calls.filter(({ isStep }) => isStep).length;
  expect(stepCalls).toBe(row.stepCalls ?? 1);
  expect(calls.length - stepCalls).toBe(expected.length);
  // One entry for each attempt that was paid for, and all sums agree with them.
  const ended = await database.db.query<{ count: string }>(
    `select count(*) from usage_ledger l join jobs j on j.id = l.job_id
     where j.execution_id = any($1) and l.outcome = 'completed'`,
    [rows.filter((each) => each.status === 'completed').map(({ id }) => id)],
  );
  expect(Number(ended.rows[0]!.count)).toBe(2);
  for (const [what, query] of Object.entries(LEDGER_CHECKS)) {
    expect((await database.db.query(query)).rows, what).toEqual([]);
  }
});
