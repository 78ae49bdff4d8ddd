import { expect, it } from 'vitest';
import { CloudExecutor, MillraceClient, MillraceError } from '../../src/client/index.ts';
import type { JobEvent } from '../../src/client/index.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { useServer } from '../support/use-server.ts';
import { startScriptedServer } from './scripted-server.ts';

const server = useServer();

const job = (streamId: string, more: object = {}) => ({
  streamId,
  prompt: `Work on ${streamId}`,
  model: 'sim-standard',
  maxTokens: 2000,
  ...more,
});

it('four parallel jobs of the Trial tier, ten requests a minute, all complete', async () => {
  const { key } = await server().createKey({ tier: 'trial' });
  const executor = new CloudExecutor(server().url, key);
  const results = await Promise.all(['a', 'b', 'c', 'd'].map((id) => executor.execute(job(id))));
  for (const result of results) {
    expect(result).toMatchObject({ success: true, artifact: { status: 'complete' } });
    expect(result.tokensUsed.output).toBeGreaterThan(0);
  }
});

it('a timed-out execution is cancelled on the server and tells the tokens used so far', async () => {
  const { key } = await server().createKey();
  const executor = new CloudExecutor(server().url, key, { timeoutMs: 1500 });
  const prompt = '[[sim:tokens 100000]] [[sim:pace 20]]';
  const result = await executor.execute(job('slow', { prompt, maxTokens: 100_000 }));
  expect(result).toMatchObject({
    success: false,
    rawResponse: '',
    error: 'Cloud execution timed out after 1500ms (job cancelled)',
  });
  expect(result.tokensUsed.output).toBeGreaterThan(0);
});

it('the typed client submits, waits, cancels, lists and records', async () => {
  const { key } = await server().createKey();
  const client = new MillraceClient(server().url, key);
  const { jobId } = await client.execute(job('one'));
  expect(await client.getJob(jobId, { waitSeconds: 30 })).toMatchObject({ status: 'completed' });
  const hanging = await client.execute(job('two', { prompt: '[[sim:hang]]' }));
  expect(await client.cancelJob(hanging.jobId)).toEqual({ cancelled: true });
  await client.recordRun('run-of-mine', {
    run: {
      feature: 'own',
      status: 'complete',
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 5,
    },
    streams: [],
  });
  const features = [];
  for await (const run of client.runs()) features.push(run.feature);
  expect(features.sort()).toEqual(['one', 'own', 'two']);
  expect((await client.getRun('run-of-mine')).run.feature).toBe('own');
  expect(await client.listProviderKeys()).toEqual({ keys: [] });
  await expect(client.getJob('job_x')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  await expect(new MillraceClient(server().url, 'bad').listRuns()).rejects.toBeInstanceOf(
    MillraceError,
  );
});

it('events go on after a lost connection, without a gap and without a repetition', async () => {
  const { key } = await server().createKey();
  const proxy = await startTcpProxy(server().url);
  try {
    const client = new MillraceClient(proxy.url, key);
    const { jobId } = await client.execute(
      job('live', { prompt: '[[sim:tokens 300]] [[sim:pace 10]]' }),
    );
    let text = '';
    let cuts = 0;
    let last: JobEvent | undefined;
    for await (const event of client.jobEvents(jobId)) {
      last = event;
      if (event.type !== 'text') continue;
      expect(event.offset).toBe(text.length);
      text += event.text;
      if (cuts < 2 && text.length > 100 * (cuts + 1)) {
        cuts += 1;
        proxy.sever();
        proxy.restore();
      }
    }
    expect(cuts).toBe(2);
    expect(last).toMatchObject({ type: 'done', job: { status: 'completed', output: text } });
  } finally {
    await proxy.close();
  }
});

/** Every method of the client and of its parts, by the name a caller writes. */
function methodsOf(client: MillraceClient): [string, (...args: unknown[]) => unknown][] {
  const own = Object.getOwnPropertyNames(MillraceClient.prototype)
    // `request` sends whatever route it is given.
    .filter((name) => name !== 'constructor' && name !== 'request')
    .map((name) => [name, client, name] as const);
  const parts = Object.entries(client).flatMap(([part, api]) =>
    Object.keys(api as object).map((name) => [`${part}.${name}`, api as object, name] as const),
  );
  return [...own, ...parts].map(([label, target, name]) => [
    label,
    (...args) => (Reflect.get(target, name) as (...all: unknown[]) => unknown).apply(target, args),
  ]);
}

it('every method of the client has a route on the server', async () => {
  const { body } = await server().call('GET', '/openapi.json');
  const routes = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    })),
  );
  const asked: string[] = [];
  const recorder = await startScriptedServer(({ method, path, headers }) => {
    asked.push(`${method} ${path.split('?')[0]}`);
    if (headers.accept !== 'text/event-stream') return { status: 200, body: { items: [] } };
    return { status: 200, body: 'id: 1\nevent: done\ndata: {}\n\n' };
  });
  try {
    const client = new MillraceClient(recorder.url, 'mill_sk_test');
    const methods = methodsOf(client);
    expect(methods.length).toBeGreaterThan(20);
    const missing: string[] = [];
    for (const [label, call] of methods) {
      asked.length = 0;
      const result = call(label === 'modelLimits' ? ['a'] : 'a', 'b', 'c');
      if (Symbol.asyncIterator in (result as object)) await (result as AsyncGenerator).next();
      else await result;
      expect(asked, label).toHaveLength(1);
      const [method, path] = asked[0]!.split(' ') as [string, string];
      if (!routes.some((route) => route.method === method && route.path.test(path))) {
        missing.push(`${label}: ${asked[0]}`);
      }
    }
    expect(missing).toEqual([]);
  } finally {
    await recorder.close();
  }
});
