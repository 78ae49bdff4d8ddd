// The tools at /mcp of a server, spoken to over HTTP by the official clients of both generations.
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ExecuteOutput, StatusOutput } from '../../src/tools/tool-schemas.ts';
import { newPerson, joinTeam } from '../accounts/people.ts';
import { artifactOf, planOf, replyOf } from '../executions/execution.ts';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { callTool } from './assistant.ts';
import { bearer, useRemoteClients } from './remote-client.ts';
import type { SentHeaders } from './remote-client.ts';

const server = useServer({ defaultModel: 'sim-instant' });

const clients = useRemoteClients();
const newClient = (headers: SentHeaders) => clients.newest(server().url, headers);

const NAMES = [
  'millrace_execute',
  'millrace_status',
  'millrace_cancel',
  'millrace_approvals',
  'millrace_answer',
  'millrace_run',
];

const CREATES = (path: string) =>
  planOf({ one: `owns: [${path}]\nplan: write it` }) +
  replyOf('one', artifactOf([{ type: 'create', path, content: 'secret body\n' }]));

type Message = { result?: Record<string, unknown>; error?: { code: number; message: string } };

/** One message, as a program without a library sends it. */
async function post(headers: SentHeaders, body: unknown) {
  const asked = { accept: 'application/json, text/event-stream', ...headers };
  return server().call('POST', '/mcp', { headers: asked, body });
}

/** With headers that fetch sets by itself. */
function rawPost(headers: SentHeaders, body: object = LIST) {
  const { hostname, port } = new URL(server().url);
  const usual = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      const options = { hostname, port, path: '/mcp', method: 'POST' };
      const sent = request({ ...options, headers: { ...usual, ...headers } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      });
      sent.on('error', reject).end(JSON.stringify(body));
    },
  );
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('/mcp', () => {
  it('serves the newest protocol', async () => {
    const { key } = await server().createKey();
    const client = await newClient(bearer(key));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    const told: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => told.push(progress);
    const input = { task: CREATES('new.ts') };
    const done = await callTool<ExecuteOutput>(client, 'execute', input, { onprogress });
    expect(ExecuteOutput.parse(done.output)).toMatchObject({
      status: 'success',
      result: { applied: 'none', artifacts: [{ operations: [{ path: 'new.ts' }] }] },
    });
    const id = done.output.executionId;
    for (const command of ['diff', 'apply']) {
      expect(done.output.next).toContain(`millrace ${command} ${id} `);
    }
    expect(done.text).not.toContain('secret body');
    expect(told.length).toBeGreaterThan(0);
    const looked = await callTool<StatusOutput>(client, 'status', { executionId: 'latest' });
    expect(StatusOutput.parse(looked.output)).toMatchObject({ status: 'success', executionId: id });
    const failed = await callTool<ExecuteOutput>(client, 'execute', { task: '[[sim:auth]]' });
    expect(failed.isError).toBe(true);
    expect(ExecuteOutput.parse(failed.output).status).toBe('failed');
    // Streams are logged and counted like any answer.
    expect(server().logs()).toMatch(/"path":"\/mcp","status":200,/);
    const metrics = await fetch(`${server().url}/metrics`);
    expect(await metrics.text()).toContain('route="/mcp",status="200"');
  });

  it('serves a client of the generation before, which checks every result', async () => {
    const { key } = await server().createKey();
    const client = await clients.older(server().url, { 'x-api-key': key });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    // One that is over at once has nothing to tell on the way.
    const tasks = [
      ['Add a file [[sim:delay 1500]]', 1],
      ['[[sim:auth]] again', 0],
    ] as const;
    for (const [task, atLeast] of tasks) {
      const called = { name: 'millrace_execute', arguments: { task } };
      const told: number[] = [];
      const onprogress = ({ progress }: { progress: number }) => told.push(progress);
      const { structuredContent } = await client.callTool(called, undefined, { onprogress });
      expect(ExecuteOutput.parse(structuredContent).steps).toBeDefined();
      expect(told.length).toBeGreaterThanOrEqual(atLeast);
    }
  });
});

describe('a caller of /mcp', () => {
  it('needs a key in a header: no cookie will do', async () => {
    const nobody = await post({}, LIST);
    expectError(nobody, 'UNAUTHORIZED');
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer realm="Millrace API key"');
    expectError(await post(bearer('mill_sk_wrong'), LIST), 'UNAUTHORIZED');
    const jane = await newPerson(server());
    expect((await jane.call('GET', '/api/v1/auth/me')).status).toBe(200);
    expectError(
      await post({ cookie: jane.cookie ?? '', origin: server().url }, LIST),
      'UNAUTHORIZED',
    );
  });

  it.each([
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/openid-configuration/mcp'],
    ['GET', '/mcp/.well-known/openid-configuration'],
    ['POST', '/register'],
  ] as const)('that looks for OAuth at %s %s reads what is taken instead', async (method, path) => {
    // As a browser asks, too: the answer is shown to people by programs.
    const headers = { accept: 'text/html, application/json' };
    const answer = await server().call(method, path, { headers });
    expectError(answer, 'NOT_FOUND');
    expect(JSON.stringify(answer.body)).toMatch(/no OAuth here.*API key.*Authorization: Bearer/);
  });

  it('is no page of another site, nor one that took the name of this machine', async () => {
    const { key } = await server().createKey();
    const { port } = new URL(server().url);
    const sent = async (headers: SentHeaders) =>
      (await rawPost({ ...bearer(key), ...headers })).status;
    const here = `localhost:${port}`;
    expect(await sent({ host: here })).toBe(200);
    expect(await sent({ host: here, origin: `http://${here}` })).toBe(200);
    expect(await sent({ host: here, origin: 'https://evil.example.com' })).toBe(403);
    const evil = `evil.example.com:${port}`;
    expect(await sent({ host: evil, origin: `http://${evil}` })).toBe(403);
    expect(await sent({ host: evil })).toBe(403);
    expect(await sent({ host: here, 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  it('may do what its key and its role allow, and is told what not', async () => {
    const { key } = await server().createKey({ scopes: ['jobs'] });
    const client = await newClient(bearer(key));
    expect((await client.listTools()).tools).toHaveLength(6);
    for (const [tool, input] of [
      ['execute', { task: 'x' }],
      ['status', { executionId: 'latest' }],
      ['cancel', { executionId: 'latest' }],
    ] as const) {
      const { isError, text } = await callTool(client, tool, input);
      expect(isError).toBe(true);
      expect(text).toMatch(/^FORBIDDEN: .*"executions"/);
    }
  });

  it('acts in the team it names', async () => {
    const owner = await server().createKey();
    const viewer = await server().createKey();
    const made = await server().call('POST', '/v1/teams', {
      key: owner.key,
      body: { name: 'shared' },
    });
    const teamId = made.body['id'] as string;
    const userId = await server().userId(viewer.email);
    await joinTeam(server(), { teamId, userId, role: 'viewer' });
    const ours = await newClient({ ...bearer(owner.key), 'x-team-id': teamId });
    const { output } = await callTool<ExecuteOutput>(ours, 'execute', { task: 'shared work' });
    const { executionId } = output;
    const theirs = await newClient({ ...bearer(viewer.key), 'x-team-id': teamId });
    const seen = await callTool<StatusOutput>(theirs, 'status', { executionId });
    expect(seen.output.status).toBe('success');
    // The newest one that they started themselves.
    const own = await callTool(theirs, 'status', { executionId: 'latest' });
    expect(own.text).toMatch(/^NOT_FOUND: /);
    const refused = await callTool(theirs, 'execute', { task: 'shared work' });
    expect(refused.text).toMatch(/^FORBIDDEN: /);
    // Not of the team: neither the execution nor the newest one.
    const stranger = await newClient(bearer((await server().createKey()).key));
    expect((await callTool(stranger, 'status', { executionId })).text).toMatch(/^FORBIDDEN: /);
    expect((await callTool(stranger, 'cancel', { executionId })).text).toMatch(/^FORBIDDEN: /);
    const latest = await callTool(stranger, 'status', { executionId: 'latest' });
    expect(latest.text).toMatch(/^NOT_FOUND: /);
  });

  it('has no files here: they are not offered, and refused before anything starts', async () => {
    const { key } = await server().createKey();
    const client = await newClient(bearer(key));
    const { tools } = await client.listTools();
    expect(tools[0]!.inputSchema.properties).not.toHaveProperty('files');
    expect(tools[0]!.inputSchema.properties).toHaveProperty('task');
    expect(client.getInstructions()).not.toMatch(/files that matter/);
    const { isError, text } = await callTool(client, 'execute', { task: 'x', files: ['a.ts'] });
    expect(isError).toBe(true);
    expect(text).toMatch(/^WORKSPACE_NOT_SET: /);
    const listed = await server().call('GET', '/v1/executions', { key });
    expect(listed.body['items']).toEqual([]);
  });

  it('is counted once a call, whatever the tool asks the API for', async () => {
    const { key } = await server().createKey({ tier: 'trial' });
    const call = { name: 'millrace_execute', arguments: { task: 'counted' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const remaining: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { status, headers } = await rawPost(bearer(key), message);
      expect(status).toBe(200);
      remaining.push(Number(headers['ratelimit-remaining']));
    }
    // On a slow machine a place may come back between two calls, but none is missing.
    expect(remaining[0]).toBe(9);
    for (const [n, left] of remaining.entries()) expect(left).toBeGreaterThanOrEqual(9 - n);
    // One request, one call: a list of calls would be counted once.
    const batch = await post(bearer(key), [message, message]);
    expect(batch).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('is told what is wrong with a message, of whatever size', async () => {
    const { key } = await server().createKey();
    const huge = { ...LIST, params: { x: 'x'.repeat(10 * 1024 * 1024) } };
    expectError(await post(bearer(key), huge), 'PAYLOAD_TOO_LARGE');
    expectError(await server().call('GET', '/mcp', { key }), 'METHOD_NOT_ALLOWED');
    expectError(await server().call('DELETE', '/mcp', { key }), 'METHOD_NOT_ALLOWED');
    const unknown = await post(bearer(key), {});
    expect(unknown.status).toBe(400);
    expect((unknown.body as Message).error?.code).toBeLessThan(0);
    const client = await newClient(bearer(key));
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });
});
