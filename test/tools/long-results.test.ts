// What an assistant reads first, and how much: a host cuts what is too long wherever it likes.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Execution } from '../../src/client/index.ts';
import { FAILURE_CODES } from '../../src/contract/job-codes.ts';
import { CancelOutput, StatusOutput } from '../../src/tools/tool-schemas.ts';
import { newAssistant } from './assistant.ts';
import type { Assistant } from './assistant.ts';

const ID = 'exec_01k0000000000000000000000a';
/** Claude Code cuts results that are errors to about this. */
const MOST_CHARACTERS = 10_000;

let answer: Execution;
let server: Server;
let assistant: Assistant;

beforeAll(async () => {
  server = createServer(({ method }, response) => {
    const finalState = {
      progress: answer.progress,
      currentStep: null,
      tokensUsed: 0,
      filesChanged: PATHS,
    };
    const cancelled = { id: ID, cancelled: false, status: answer.status, finalState };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(method === 'POST' ? cancelled : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  assistant = await newAssistant({
    url: `http://127.0.0.1:${port}`,
    key: 'mill_sk_x',
    settings: { softDeadlineMs: 100 },
  });
});
afterAll(async () => {
  await assistant.close();
  server.close();
});

const LONG = '"quoted"\n'.repeat(200);
const PATHS = Array.from({ length: 400 }, (_, n) => `src/${'folder/'.repeat(20)}file-${n}.ts`);
const COUNT = 80;

const artifacts = Array.from({ length: COUNT }, (_, n) => ({
  streamId: `stream-${n}`,
  status: 'complete' as const,
  summary: `${n} ${LONG}`,
  filesChanged: PATHS.slice(n * 5, n * 5 + 5),
  operations: PATHS.slice(n * 5, n * 5 + 5).map((path) => ({
    type: 'create' as const,
    path,
    content: 'x\n',
  })),
}));

function execution(more: Partial<Execution>): Execution {
  return {
    id: ID,
    status: 'completed',
    task: `Do it.\n${LONG}`,
    progress: { current: COUNT, total: COUNT },
    result: { success: true, artifacts, summary: LONG },
    metrics: { duration: 61_000, tokensUsed: 5, costUsd: 1 },
    steps: artifacts.map(({ streamId }, index) => ({
      index,
      streamId,
      name: `${streamId} ${LONG}`,
      wave: 1,
      status: 'complete' as const,
      durationMs: 10,
      tokensUsed: 1,
    })),
    currentStep: null,
    createdAt: '2026-11-18T01:00:00.000Z',
    completedAt: '2026-11-18T01:01:01.000Z',
    statusUrl: `/v1/executions/${ID}`,
    runId: 'run_01k0000000000000000000000a',
    model: 'm',
    provider: 'openai',
    simulated: false,
    dryRun: false,
    maxSteps: 100,
    budgetUsd: null,
    ...more,
  };
}

async function look(more: Partial<Execution>) {
  answer = execution(more);
  const { text, output } = await assistant.call('status', { executionId: ID });
  expect(StatusOutput.parse(output)).toEqual(output);
  return { text, output };
}

function failed(code: string): Partial<Execution> {
  const error = { code, message: `Unique words of ${code}. ${LONG}` };
  const summary = `Failed after 1 of ${COUNT} steps: ${error.message}`;
  return { status: 'failed', result: { success: false, artifacts, summary, error } };
}

const streams = Array.from({ length: COUNT }, (_, n) => ({
  streamId: `stream-${n}`,
  name: LONG,
  wave: n + 1,
  deps: PATHS.slice(0, 20),
  owns: PATHS,
  reads: PATHS,
  plan: LONG,
}));
const plan = {
  streams,
  waves: streams.map(({ streamId }) => [streamId]),
  estimatedTokens: 1,
  estimatedCostUsd: null,
};

it.each([
  ['completed', {}, 'success'],
  ['failed', failed('PLAN_INVALID'), 'failed'],
  [
    'a dry run',
    { dryRun: true, steps: [], result: { success: true, artifacts: [], summary: LONG, plan } },
    'success',
  ],
  [
    'a dry run whose manifest just fits',
    {
      dryRun: true,
      steps: [],
      result: {
        success: true,
        artifacts: [],
        summary: LONG,
        plan: { ...plan, manifest: 'x'.repeat(3998) },
      },
    },
    'success',
  ],
  ['running', { status: 'running', result: null, completedAt: null, currentStep: 3 }, 'running'],
] as const)('%s: the end is short, and begins with what counts', async (_, more, status) => {
  // What is running is looked at once, not waited for.
  const { text, output } = await look(more as Partial<Execution>);
  expect(text.length).toBeLessThan(MOST_CHARACTERS);
  const order = ['message', 'status', 'executionId', 'error', 'next', 'task'];
  const expected = order.filter((key) => key in output);
  expect(Object.keys(JSON.parse(text) as object).slice(0, expected.length)).toEqual(expected);
  expect(output.status).toBe(status);
  expect(output.next).toBeTruthy();
  expect(output.task).toMatch(/^Do it\. "quoted" /);
  if (output.result) expect(Object.keys(output.result).slice(0, 2)).toEqual(['success', 'applied']);
  if (status !== 'running') expect(output.omittedSteps! + output.steps.length).toBe(COUNT);
});

it('a path is there once, and what is left out is counted', async () => {
  const { text, output } = await look({});
  const { artifacts: shown, omittedOperations } = output.result!;
  const operations = shown.flatMap((each) => each.operations);
  expect(operations.length).toBeGreaterThan(5);
  expect(operations.length + omittedOperations!).toBe(PATHS.length);
  for (const { path } of operations) expect(text.split(`"${path}"`)).toHaveLength(2);
  expect(output.message).toMatch(/^400 files ready, not written\./);
  const { output: cancelled, text: all } = await assistant.call('cancel', { executionId: ID });
  expect(CancelOutput.parse(cancelled).finalState.message).toMatch(/^400 files ready, not written/);
  expect(all.length).toBeLessThan(MOST_CHARACTERS);
  const { filesChanged, omittedFiles } = cancelled.finalState;
  expect(filesChanged.length + omittedFiles!).toBe(PATHS.length);
});

describe('a failure', () => {
  it.each(Object.keys(FAILURE_CODES))('%s is said once, with what to do', async (code) => {
    const { text, output } = await look(failed(code));
    expect(text.split(`Unique words of ${code}`)).toHaveLength(2);
    expect(output.error).toMatchObject({ code });
    expect(output.message).toMatch(/^No files written\. Failed /);
    const { retryable } = FAILURE_CODES[code as keyof typeof FAILURE_CODES];
    if (retryable) expect(output.next).toBe('Call millrace_execute again with the same arguments.');
    else expect(output.next).not.toContain('with the same arguments');
  });

  it('that this version does not know has something to do, too', async () => {
    const { output } = await look(failed('toString'));
    expect(output.next).toContain('millrace_execute');
    const { output: stopped } = await look({ status: 'cancelled' });
    expect(stopped.message).toMatch(/^No files written\. Cancelled /);
    expect(stopped.next).toContain('millrace_execute');
  });
});
