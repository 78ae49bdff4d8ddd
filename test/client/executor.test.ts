import { afterEach, describe, expect, it } from 'vitest';
import { CloudExecutor } from '../../src/client/index.ts';
import type { ExecutorConfig } from '../../src/client/index.ts';
import { verifies } from '../support/verifies.ts';
import { createFakeWorld } from './fake-world.ts';
import { startScriptedServer } from './scripted-server.ts';
import type { Answer, ScriptedServer, Seen } from './scripted-server.ts';

const REQUEST = { prompt: 'Do it', model: 'm', maxTokens: 10, streamId: 'api' };
const SUBMITTED: Answer = { status: 202, body: { jobId: 'job_1' } };
const RUNNING: Answer = { status: 200, body: { status: 'running' } };
const DONE: Answer = {
  status: 200,
  body: { status: 'completed', output: 'text', tokensUsed: { input: 3, output: 4 } },
};

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const times = (count: number, answer: Answer): Answer[] =>
  Array.from({ length: count }, () => answer);

const isSubmit = ({ method, path }: Seen) => method === 'POST' && path === '/api/v1/execute';
const isCancel = ({ path }: Seen) => path.endsWith('/cancel');

/** Answers submits, polls and cancels with the next of each list, the last one for ever. */
async function executing(
  script: { submits?: Answer[]; polls?: Answer[]; cancels?: Answer[] },
  config: Partial<ExecutorConfig> = {},
  random = 0.5,
) {
  const { submits = [SUBMITTED], polls = [DONE], cancels = [{ status: 200 }] } = script;
  const next = (list: Answer[]) => (list.length > 1 ? list.shift()! : list[0]!);
  server = await startScriptedServer((request) => {
    if (isSubmit(request)) return next(submits);
    return next(isCancel(request) ? cancels : polls);
  });
  const world = createFakeWorld(random);
  const executor = new CloudExecutor(server.url, 'mill_sk_test', config, world);
  return { executor, world, seen: server.seen };
}

describe('the flow', () => {
  it('submits, polls until the job has ended, and returns output, artifact and tokens', async () => {
    verifies('client.construct', 'client.flow', 'client.execute.request', 'client.execute.result');
    const artifact = {
      streamId: 'api',
      status: 'complete',
      operations: [],
      filesChanged: [],
      summary: '',
    };
    const done = { status: 200, body: { ...(DONE as { body: object }).body, artifact } };
    const { executor, seen } = await executing({ polls: [RUNNING, RUNNING, done] });
    const result = await executor.execute(REQUEST);
    expect(result).toEqual({
      success: true,
      rawResponse: 'text',
      artifact,
      tokensUsed: { input: 3, output: 4 },
    });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/execute',
      'GET /api/v1/job/job_1',
      'GET /api/v1/job/job_1',
      'GET /api/v1/job/job_1',
    ]);
    expect(seen[0]!.headers['x-api-key']).toBe('mill_sk_test');
    expect(JSON.parse(seen[0]!.body)).toEqual({ ...REQUEST, timeoutMs: 660_000 });
  });

  it('sends the parts of a structured prompt as they are', async () => {
    verifies('client.structured-prompt');
    const structuredPrompt = {
      systemContent: 'Do',
      projectContext: ' ',
      streamContext: '',
      taskContent: 'it',
      fullPrompt: 'Do it',
      cachingHints: [{ part: 'systemContent' }],
    };
    const { executor, seen } = await executing({});
    await executor.execute({ ...REQUEST, structuredPrompt });
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ structuredPrompt });
  });

  it('extracts the artifact from the text when the server parsed none', async () => {
    verifies('client.artifact');
    const output =
      'Here:\n```service-artifact\n{"operations":[{"type":"create","path":"a.txt","content":"x"}]}\n```\n';
    const polls = [{ status: 200, body: { status: 'completed', output } }];
    const { executor } = await executing({ polls });
    const result = await executor.execute(REQUEST);
    expect(result.artifact).toMatchObject({ streamId: 'api', filesChanged: ['a.txt'] });
  });

  it('returns a failed job as a failure with its tokens', async () => {
    const polls = [
      { status: 200, body: { status: 'failed', error: 'no', tokensUsed: { input: 1, output: 2 } } },
    ];
    const { executor } = await executing({ polls });
    expect(await executor.execute(REQUEST)).toEqual({
      success: false,
      rawResponse: '',
      tokensUsed: { input: 1, output: 2 },
      error: 'no',
    });
  });

  it('polls at 1 s, then twice as long each time, up to 10 s', async () => {
    verifies('client.defaults');
    const { executor, world } = await executing({ polls: [...times(6, RUNNING), DONE] });
    await executor.execute(REQUEST);
    expect(world.slept).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('waits at the server instead of polling when the server offers it', async () => {
    const submits: Answer[] = [
      { status: 202, body: { jobId: 'job_1' }, headers: { 'millrace-long-poll': '60' } },
    ];
    const { executor, world, seen } = await executing({ submits });
    await executor.execute(REQUEST);
    expect(seen.at(-1)!.path).toBe('/api/v1/job/job_1?wait=25');
    expect(world.slept).toEqual([]);
  });
});

describe('retries', () => {
  it.each([500, 502, 503, 504])(
    'a submit answered with %i is tried again with backoff',
    async (status) => {
      verifies('client.retry.5xx');
      const { executor, world, seen } = await executing({
        submits: [{ status }, { status }, { status }, { status }, { status }, SUBMITTED],
      });
      expect((await executor.execute(REQUEST)).success).toBe(true);
      expect(world.slept).toEqual([1000, 2000, 4000, 8000, 16_000]);
      const keys = new Set(seen.filter(isSubmit).map(({ headers }) => headers['idempotency-key']));
      expect(keys.size).toBe(1);
    },
  );

  it('the delays are capped at 30 s and stay within the jitter', async () => {
    verifies('client.backoff');
    const answers = [...times(7, { status: 500 }), SUBMITTED];
    const low = await executing({ submits: [...answers] }, { maxRetries: 7 }, 0);
    await low.executor.execute(REQUEST);
    const plain = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];
    expect(low.world.slept).toEqual(plain.map((ms) => ms * 0.9));
    await server?.close();
    const high = await executing({ submits: [...answers] }, { maxRetries: 7 }, 0.999_999);
    await high.executor.execute(REQUEST);
    high.world.slept.forEach((ms, index) => {
      expect(ms).toBeLessThanOrEqual(plain[index]! * 1.1);
      expect(ms).toBeGreaterThan(plain[index]!);
    });
  });

  it('gives up after five retries with the error of the service', async () => {
    verifies('client.defaults');
    const error = { error: { code: 'INTERNAL_ERROR', message: 'broken' } };
    const { executor, seen } = await executing({ submits: [{ status: 500, body: error }] });
    expect(await executor.execute(REQUEST)).toMatchObject({ success: false, error: 'broken' });
    expect(seen).toHaveLength(6);
  });

  it.each([400, 401, 403, 404])('%i fails at once, without another try', async (status) => {
    verifies('client.retry.none');
    const body = { error: { code: 'X', message: `status ${status}` } };
    const { executor, seen, world } = await executing({ submits: [{ status, body }] });
    expect(await executor.execute(REQUEST)).toMatchObject({
      success: false,
      error: `status ${status}`,
    });
    expect(seen).toHaveLength(1);
    expect(world.slept).toEqual([]);
  });

  it('a short Retry-After of a service that is away does not shorten the backoff, a long one counts', async () => {
    verifies('client.retry.5xx');
    const away: Answer = { status: 503, headers: { 'retry-after': '2' } };
    const longer: Answer = { status: 503, headers: { 'retry-after': '20' } };
    const { executor, world } = await executing({
      submits: [away, away, away, away, longer, SUBMITTED],
    });
    expect((await executor.execute(REQUEST)).success).toBe(true);
    expect(world.slept).toEqual([2000, 2000, 4000, 8000, 20_000]);
  });

  it('429 of a submit waits as long as Retry-After says', async () => {
    verifies('client.retry.429');
    const limited: Answer = { status: 429, headers: { 'retry-after': '7' } };
    const { executor, world } = await executing({ submits: [limited, SUBMITTED] });
    expect((await executor.execute(REQUEST)).success).toBe(true);
    expect(world.slept).toEqual([7000]);
  });

  it('429 of a poll waits as long as Retry-After says, and polls more slowly from then on', async () => {
    verifies('client.retry.429');
    const limited: Answer = { status: 429, headers: { 'retry-after': '3' } };
    const { executor, world } = await executing({ polls: [limited, RUNNING, DONE] });
    expect((await executor.execute(REQUEST)).success).toBe(true);
    expect(world.slept).toEqual([3000, 2000]);
  });

  it('a lost answer to a submit is asked for again under the same key', async () => {
    const { executor, seen } = await executing({ submits: ['break', SUBMITTED] });
    expect((await executor.execute(REQUEST)).success).toBe(true);
    const [first, second] = seen.filter(isSubmit);
    expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
  });

  it('survives a server that is away while it polls, and answers that are not JSON', async () => {
    const { executor } = await executing({
      polls: [
        'break',
        'break',
        { status: 200, body: '<html>' },
        { status: 502, body: 'bad' },
        DONE,
      ],
    });
    expect((await executor.execute(REQUEST)).success).toBe(true);
  });
});

describe('giving up', () => {
  it('cancels after the timeout, fetches the tokens, and says so in the documented words', async () => {
    verifies('client.timeout');
    const cancelled = {
      status: 200,
      body: { status: 'failed', error: 'Job cancelled', tokensUsed: { input: 8, output: 9 } },
    };
    const polls = [...times(4, RUNNING), cancelled];
    const { executor, seen } = await executing({ polls }, { timeoutMs: 15_000 });
    expect(await executor.execute(REQUEST)).toEqual({
      success: false,
      rawResponse: '',
      tokensUsed: { input: 8, output: 9 },
      error: 'Cloud execution timed out after 15000ms (job cancelled)',
    });
    expect(seen.filter(isCancel)).toHaveLength(1);
    expect(seen.at(-1)!.method).toBe('GET');
  });

  it('cancels the job when the caller aborts', async () => {
    verifies('library.client');
    const controller = new AbortController();
    const { executor, seen, world } = await executing({ polls: [RUNNING] });
    const { sleep } = world;
    world.sleep = async (ms) => {
      controller.abort();
      await sleep(ms);
    };
    const result = await executor.execute(REQUEST, { signal: controller.signal });
    expect(result).toMatchObject({
      success: false,
      error: 'Cloud execution aborted (job cancelled)',
    });
    expect(seen.filter(isCancel)).toHaveLength(1);
  });
});
