// The command `millrace mcp` as assistants start it: a process of its own, spoken to by the official
// clients of both generations.
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecuteOutput } from '../../src/tools/tool-schemas.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { callTool, newFolder } from './assistant.ts';

const server = useServer({ defaultModel: 'sim-instant' });
const place = newFolder();
let env: Record<string, string>;

beforeAll(async () => {
  const { key } = await server().createKey({ email: 'asks@example.com' });
  env = {
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    MILLRACE_WORKSPACE: place.root,
    MILLRACE_STATE_DIR: `${place.folder}/state`,
    MILLRACE_CONFIG_DIR: `${place.folder}/config`,
  };
});
afterAll(() => place.remove());

const command = () => ({
  command: process.execPath,
  args: [MAIN, 'mcp'],
  env: cleanEnv(env) as Record<string, string>,
  stderr: 'pipe' as const,
});

const NAMES = [
  'millrace_execute',
  'millrace_status',
  'millrace_cancel',
  'millrace_approvals',
  'millrace_answer',
  'millrace_run',
];

describe('millrace mcp', () => {
  it('serves the newest protocol to a client that asks for it', async () => {
    const mode = { pin: '2026-07-28' };
    const client = new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(command()));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(NAMES);
      const told: number[] = [];
      const onprogress = ({ progress }: { progress: number }) => told.push(progress);
      const input = { task: 'Add a file', files: ['a.ts'] };
      const done = await callTool<ExecuteOutput>(client, 'execute', input, { onprogress });
      expect(ExecuteOutput.parse(done.output)).toMatchObject({ status: 'success' });
      expect(told.every((each, at) => at === 0 || each > told[at - 1]!)).toBe(true);
      const uri = `millrace://executions/${done.output.executionId}`;
      const listed = (await client.listResources()).resources.map((each) => each.uri);
      expect(listed).toContain(uri);
      const { contents } = await client.readResource({ uri: `${uri}/artifacts/0` });
      expect(contents).toMatchObject([{ text: expect.stringContaining('"operations":[{') }]);
      const failed = await callTool<ExecuteOutput>(client, 'execute', { task: '[[sim:auth]]' });
      expect(failed.isError).toBe(true);
      expect(ExecuteOutput.parse(failed.output).status).toBe('failed');
    } finally {
      await client.close();
    }
  });

  it('serves a client of the generation before, which checks every result', async () => {
    const client = new OldClient({ name: 'old', version: '1' });
    await client.connect(new OldTransport(command()));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(NAMES);
      for (const task of ['Add a file', '[[sim:auth]] again']) {
        const called = { name: 'millrace_execute', arguments: { task } };
        const { structuredContent } = await client.callTool(called);
        expect(ExecuteOutput.parse(structuredContent).steps).toBeDefined();
      }
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toHaveLength(3);
      const uri = 'millrace://executions/latest';
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, text: expect.stringContaining('"status":"failed"') }]);
      await expect(client.readResource({ uri: `${uri}/..` })).rejects.toThrow('no such resource');
      const called = { name: 'millrace_status', arguments: { executionId: 'latest' } };
      const looked = await client.callTool(called);
      expect(looked.structuredContent).toMatchObject({ status: 'failed' });
    } finally {
      await client.close();
    }
  });

  it('outlives garbage and messages of any size, and ends with its input', async () => {
    const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [MAIN, 'mcp'], {
      env: cleanEnv({ ...env, MILLRACE_URL: 'http://127.0.0.1:1' }),
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answer = async () => {
      const { value } = (await lines.next()) as { value: string };
      return JSON.parse(value) as {
        id: number;
        error?: object;
        result?: { isError?: boolean; content: { text: string }[] };
      };
    };
    const call = (id: number, name: string, input: object) =>
      send({ id, method: 'tools/call', params: { name, arguments: input } });
    child.stdin.write('no json\n{"half":\n\n');
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ id: 1, method: 'initialize', params });
    expect(await answer()).toMatchObject({ id: 1, result: { serverInfo: { name: 'millrace' } } });
    send({ method: 'notifications/initialized' });
    child.stdin.write('{"jsonrpc":"2.0"}\nno json either\n');
    call(2, 'nope', {});
    expect(await answer()).toMatchObject({ id: 2, error: { code: -32602 } });
    call(3, 'millrace_execute', { task: 'x'.repeat(10 * 1024 * 1024) });
    expect((await answer()).result?.content[0]?.text).toMatch(/^VALIDATION_ERROR: .*task/);
    call(4, 'millrace_execute', { task: 'x', files: ['../../etc/passwd'] });
    expect((await answer()).result?.content[0]?.text).toMatch(/^PATH_OUTSIDE_WORKSPACE: /);
    call(5, 'millrace_execute', { task: 'x' });
    const lost = await answer();
    expect(lost).toMatchObject({ id: 5, result: { isError: true } });
    expect(lost.result?.content[0]?.text).toMatch(/^SERVER_UNREACHABLE: /);
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'honours a cancel that follows %s, as assistants send it when their user presses ctrl-c',
    async (signal) => {
      const child = spawn(process.execPath, [MAIN, 'mcp'], { env: cleanEnv(env) });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      const send = (message: object) =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const clientInfo = { name: 'raw', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      send({ id: 1, method: 'initialize', params });
      send({ method: 'notifications/initialized' });
      const input = { task: `stopped by ${signal} [[sim:hang]]` };
      const called = { name: 'millrace_execute', arguments: input };
      send({ id: 2, method: 'tools/call', params: called });
      const state = async () => {
        const { rows } = await server().db.query<{ status: string }>(
          'select status from executions where task like $1',
          [`%stopped by ${signal}%`],
        );
        return rows[0]?.status;
      };
      await waitUntil(async () => (await state()) === 'running', 'the execution');
      child.kill(signal);
      await delay(20);
      const reason = 'The user stopped it';
      send({ method: 'notifications/cancelled', params: { requestId: 2, reason } });
      child.kill(signal);
      expect(await ended).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(await state()).toBe('cancelled');
    },
  );

  it('--check shows what it works with, and tries the server', async () => {
    const good = await runHere(['mcp', '--check', '--json'], env);
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toEqual({
      server: server().url,
      user: 'asks@example.com',
      workspace: place.root,
      apply: 'ask',
    });
    const refused = await runHere(['mcp', '--check'], { ...env, MILLRACE_API_KEY: 'mrk_wrong' });
    expect(refused.code).toBe(4);
    const wide = await runHere(['mcp', '--check'], { ...env, MILLRACE_WORKSPACE: '/' });
    expect(wide).toMatchObject({ code: 2, stderr: expect.stringContaining('too wide') });
    // A project may come from anybody: it cannot make an assistant write.
    mkdirSync(join(place.root, '.millrace'));
    writeFileSync(join(place.root, '.millrace', 'config.yaml'), 'apply: auto\n');
    const project = await runHere(['mcp', '--check', '--json'], env, place.root);
    expect(JSON.parse(project.stdout)).toMatchObject({ apply: 'ask' });
    const own = await runHere(['mcp', '--check', '--json', '--apply', 'auto'], env, place.root);
    expect(JSON.parse(own.stdout)).toMatchObject({ apply: 'auto' });
    const odd = await runHere(['mcp', '--check'], { ...env, MILLRACE_SOFT_DEADLINE_MS: 'soon' });
    expect(odd.code).toBe(2);
  });
});
