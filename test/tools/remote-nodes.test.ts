// Calls of the tools at /mcp that break off, are repeated, or are under way when a node stops: nothing is
// lost and nothing is paid for twice, whichever node gets them.
import { beforeAll, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { ExecuteOutput } from '../../src/tools/tool-schemas.ts';
import { createSharedAttempts } from '../../src/tools/shared-attempts.ts';
import { artifactOf, planOf, replyOf } from '../executions/execution.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { useNodes } from '../support/use-server.ts';
import { callTool } from './assistant.ts';
import { bearer, useRemoteClients } from './remote-client.ts';

// Without a worker: what is started waits, until one is there.
const nodes = useNodes(2, { role: 'api', defaultModel: 'sim-instant' });
const clients = useRemoteClients();
let key = '';
beforeAll(async () => {
  key = (await nodes()[0]!.createKey()).key;
});

async function started(word: string) {
  const { rows } = await nodes()[0]!.db.query<{ id: string; status: string }>(
    'select id, status from executions where task like $1',
    [`%${word}%`],
  );
  return rows;
}

const taskOf = (path: string) =>
  planOf({ one: `owns: [${path}]\nplan: write it` }) +
  replyOf('one', artifactOf([{ type: 'create', path, content: 'x\n' }]));

it('a client that breaks off and asks again, on any node, gets the same execution', async () => {
  const [first, second] = nodes();
  const newest = await clients.newest(first!.url, bearer(key));
  const older = await clients.older(second!.url, bearer(key));
  const task = taskOf('once.ts');
  const called = { name: 'millrace_execute', arguments: { task } };

  // Told how far it is, it knows that the execution is being followed; then it leaves.
  const leaves = new AbortController();
  const options = { signal: leaves.signal, onprogress: () => leaves.abort('user pressed Esc') };
  await expect(newest.callTool(called, options)).rejects.toThrow();
  const [{ id } = { id: '' }] = await started('once.ts');
  // Nobody follows it for a caller who is gone.
  const isOver = async () => first!.logs().includes(`/v1/executions/${id}/events`);
  await waitUntil(isOver, 'the end of the call');

  const again = [
    callTool<ExecuteOutput>(newest, 'execute', { task }),
    older.callTool(called).then(({ structuredContent }) => ({ output: structuredContent })),
  ];
  const worker = await startTestServer({ role: 'worker' }, first!.databaseUrl);
  try {
    for (const { output } of await Promise.all(again)) {
      expect(output).toMatchObject({ status: 'success', executionId: id });
    }
  } finally {
    await worker.close();
  }
  // Whether the answer arrived nobody knows: for a while the same words mean the same execution.
  const later = await callTool<ExecuteOutput>(newest, 'execute', { task });
  expect(later.output.executionId).toBe(id);
  expect(await started('once.ts')).toHaveLength(1);
});

it('calls under way say where to look when their node stops', async () => {
  const leaving = await startTestServer({ role: 'api' }, nodes()[0]!.databaseUrl);
  const newest = await clients.newest(leaving.url, bearer(key));
  const older = await clients.older(leaving.url, bearer(key));
  const subscription = await newest.listen({ toolsListChanged: true });
  const calls = [
    newest.callTool({ name: 'millrace_execute', arguments: { task: 'left one' } }),
    older.callTool({ name: 'millrace_execute', arguments: { task: 'left two' } }),
  ];
  const rows = await waitUntil(async () => {
    const found = await started('left');
    return found.length === 2 ? found : undefined;
  }, 'both executions');
  await leaving.close();
  await subscription.closed;
  const answers = await Promise.all(calls);
  const told = answers.map(({ isError, content }) => {
    expect(isError).toBe(true);
    const { text } = (content as { text: string }[])[0]!;
    return /^SERVICE_UNAVAILABLE: .*millrace_status with executionId "(.+)"\./.exec(text)?.[1];
  });
  expect(new Set(told)).toEqual(new Set(rows.map(({ id }) => id)));
  expect((await started('left')).map(({ status }) => status)).toEqual(['running', 'running']);
});

const NOWHERE = { workspace: undefined, needsDecision: false };

it('knows an execution again after a quarter of an hour is over, and by a clock that is behind', async () => {
  const client = new MillraceClient(nodes()[0]!.url, key, { maxRetries: 0 });
  const quarter = 15 * 60_000;
  const over = Math.ceil(Date.now() / quarter) * quarter;
  let now = over - 1;
  const clock = { now: () => now, sleep: async () => {} };
  const find = async (task: string) => {
    const { attempt } = createSharedAttempts(clock).join(client, { task }, NOWHERE);
    return (await attempt.started).id;
  };
  const id = await find('waits');
  now = over + 1;
  expect(await find('waits')).toBe(id);
  expect(await find('waits')).toBe(id);
  expect(await find('waits, too')).not.toBe(id);
  const ahead = await find('ahead');
  now = over - 1;
  expect(await find('ahead')).toBe(ahead);
  // What failed or was cancelled is tried again; so is what completed long ago.
  await client.executions.cancel(id);
  const second = await find('waits');
  expect(second).not.toBe(id);
  await client.executions.cancel(second);
  const third = await find('waits');
  expect([id, second]).not.toContain(third);
  expect(await find('waits')).toBe(third);
  const end = `update executions set status = 'completed', ended_at = $2 where id = $1`;
  await nodes()[0]!.db.query(end, [third, new Date(now - 4 * 60_000)]);
  expect(await find('waits')).toBe(third);
  await nodes()[0]!.db.query(end, [third, new Date(now - 6 * 60_000)]);
  expect(await find('waits')).not.toBe(third);
});
