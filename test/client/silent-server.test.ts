// A server that takes requests and does not answer them. These tests use the real clock: the limits
// are short, and the bounds only tell a limit that works from one that waits for the server.
import { afterAll, expect, it } from 'vitest';
import { CloudExecutor } from '../../src/client/index.ts';
import type { ExecutionResult } from '../../src/client/index.ts';
import { verifies } from '../support/verifies.ts';
import { startScriptedServer } from './scripted-server.ts';
import type { Answer, ScriptedServer, Seen } from './scripted-server.ts';

const TIMEOUT_MS = 300;
const SUBMITTED: Answer = { status: 202, body: { jobId: 'job_1' } };
const RUNNING: Answer = { status: 200, body: { status: 'running' } };
const CANCELLED: Answer = { status: 200, body: { cancelled: true } };
const ENDED: Answer = {
  status: 200,
  body: { status: 'failed', error: 'Job cancelled', tokensUsed: { input: 8, output: 9 } },
};

interface Script {
  submit?: Answer;
  /** While the job runs, and after it was cancelled. */
  poll?: Answer;
  ended?: Answer;
  cancel?: Answer;
  /** A second submit is answered: the first one's silence was an accident. */
  resubmit?: Answer;
}

const servers: ScriptedServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function run(
  script: Script,
  signal?: AbortSignal,
): Promise<{ result: ExecutionResult; seen: Seen[] }> {
  const { submit = SUBMITTED, poll = RUNNING, ended = ENDED, cancel = CANCELLED } = script;
  let submits = 0;
  let cancelled = false;
  const server = await startScriptedServer(({ path }) => {
    if (path === '/api/v1/execute') return submits++ === 0 ? submit : (script.resubmit ?? submit);
    if (path.endsWith('/cancel')) {
      cancelled = true;
      return cancel;
    }
    return cancelled ? ended : poll;
  });
  servers.push(server);
  const executor = new CloudExecutor(server.url, 'mill_sk_test', {
    timeoutMs: TIMEOUT_MS,
    pollIntervalMs: 20,
  });
  const request = { prompt: 'Do it', model: 'm', maxTokens: 10, streamId: 'api' };
  const result = await executor.execute(request, signal ? { signal } : {});
  return { result, seen: server.seen };
}

const cancels = (seen: Seen[]) => seen.filter(({ path }) => path.endsWith('/cancel')).length;
const timedOut = (input: number, output: number) => ({
  success: false,
  rawResponse: '',
  tokensUsed: { input, output },
  error: `Cloud execution timed out after ${TIMEOUT_MS}ms (job cancelled)`,
});

it.each<[string, Script]>([
  ['a poll', { poll: 'silent' }],
  ['the body of a poll', { poll: 'stall' }],
  ['a Retry-After past the deadline', { poll: { status: 429, headers: { 'retry-after': '60' } } }],
  [
    'a pause of the service past the deadline',
    { poll: { status: 503, headers: { 'retry-after': '60' } } },
  ],
  ['a submit, whose job is found by its key', { submit: 'silent', resubmit: SUBMITTED }],
  ['the body of a submit', { submit: 'stall', resubmit: SUBMITTED }],
])('silence in %s ends at the timeout, and the job is cancelled', async (_, script) => {
  verifies('client.timeout');
  const { result, seen } = await run(script);
  expect(result).toEqual(timedOut(8, 9));
  expect(cancels(seen)).toBe(1);
  const keys = seen
    .filter(({ path }) => path === '/api/v1/execute')
    .map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(1);
});

it.concurrent.each<[string, Script]>([
  ['every submit', { submit: 'silent' }],
  ['poll and cancel', { poll: 'silent', cancel: 'silent' }],
  ['cancel alone', { cancel: 'silent' }],
  ['the body of cancel', { cancel: 'stall' }],
  ['the tokens', { ended: 'silent' }],
  ['the body of the tokens', { ended: 'stall' }],
  ['a cancel that is put off', { cancel: { status: 429, headers: { 'retry-after': '60' } } }],
])('silence of %s does not hold up the result', async (_, script) => {
  verifies('client.timeout');
  const startedAt = Date.now();
  expect((await run(script)).result).toEqual(timedOut(0, 0));
  // Below the 31 s of five retries, and below a server's silence, which does not end.
  expect(Date.now() - startedAt).toBeLessThan(28_000);
});

it('an abort ends a request that is under way, and the job is cancelled', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const { result, seen } = await run({ poll: 'silent' }, controller.signal);
  expect(result).toMatchObject({ error: 'Cloud execution aborted (job cancelled)' });
  expect(cancels(seen)).toBe(1);
});

it('a submit that is put off past the deadline fails at once, and nothing is submitted again', async () => {
  const error = { error: { code: 'RATE_LIMITED', message: 'Too many requests' } };
  const limited: Answer = { status: 429, headers: { 'retry-after': '60' }, body: error };
  const { result, seen } = await run({ submit: limited });
  expect(result).toMatchObject({ error: 'Too many requests' });
  expect(seen).toHaveLength(1);
});

it('a job that can no longer be followed is cancelled', async () => {
  const broken: Answer = { status: 500, body: { error: { code: 'X', message: 'broken' } } };
  let cancelled = false;
  const server = await startScriptedServer(({ path }) => {
    if (path === '/api/v1/execute') return SUBMITTED;
    if (path.endsWith('/cancel')) cancelled = true;
    if (path.endsWith('/cancel')) return CANCELLED;
    return cancelled ? ENDED : broken;
  });
  servers.push(server);
  const executor = new CloudExecutor(server.url, 'k', { maxRetries: 1, retryBaseDelayMs: 1 });
  const request = { prompt: 'Do it', model: 'm', maxTokens: 10, streamId: 'api' };
  expect(await executor.execute(request)).toMatchObject({
    error: 'broken',
    tokensUsed: { input: 8, output: 9 },
  });
});
