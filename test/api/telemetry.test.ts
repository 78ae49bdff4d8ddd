// What a collector of traces and metrics is told.
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/platform/free-port.ts';
import { startTestServer } from '../support/server.ts';
import { waitUntil } from '../support/processes.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import type { Receiver } from '../webhooks/receiver.ts';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; arrayValue?: { values: unknown[] } };
}

interface SpanJson {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Attribute[];
  status: { code?: number };
}

interface Bucketed {
  explicitBounds: number[];
  bucketCounts: number[];
  count: number;
}

interface MetricJson {
  name: string;
  sum?: { isMonotonic: boolean; dataPoints: { attributes: Attribute[]; asDouble: number }[] };
  gauge?: { dataPoints: { asDouble: number }[] };
  histogram?: { dataPoints: Bucketed[] };
}

function told<T>(collector: Receiver, path: string, keys: readonly string[]): T[] {
  let found: unknown[] = collector.on(path).map(({ body }) => body);
  for (const key of keys) found = found.flatMap((one) => (one as Record<string, unknown[]>)[key]!);
  return found as T[];
}
const spansAt = (collector: Receiver) =>
  told<SpanJson>(collector, '/v1/traces', ['resourceSpans', 'scopeSpans', 'spans']);
const metricsAt = (collector: Receiver) =>
  told<MetricJson>(collector, '/v1/metrics', ['resourceMetrics', 'scopeMetrics', 'metrics']);
const valueOf = (span: SpanJson, key: string) =>
  span.attributes.find((attribute) => attribute.key === key)?.value;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SECRET_TASK = 'Add a page about herons';

it('an execution is one trace, from the request to its webhooks, in the trace of the caller', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const server = await startTestServer({
    otlpEndpoint: `${receiver.url}/`,
    allowPrivateTargets: true,
  });
  const { key } = await server.createKey();
  const created = await server.call('POST', '/v1/executions', {
    key,
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
    body: {
      task: SECRET_TASK,
      model: 'sim-instant',
      options: { webhookUrl: `${receiver.url}/hook` },
    },
  });
  expect(created.status).toBe(202);
  await waitUntil(
    () => receiver.on('/hook').some(({ body }) => body.event === 'execution.completed'),
    'the last webhook',
  );
  await server.close();

  const spans = spansAt(receiver).filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [request] = named('POST /v1/executions');
  expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2 });
  expect(valueOf(request!, 'http.response.status_code')).toEqual({ intValue: 202 });

  // The plan, and at least one step.
  const jobs = named('job');
  expect(jobs.length).toBeGreaterThan(1);
  for (const job of jobs) expect(job.parentSpanId).toBe(request!.spanId);
  const calls = spans.filter(({ name }) => name === 'chat sim-instant');
  expect(calls).toHaveLength(jobs.length);
  expect(new Set(calls.map(({ parentSpanId }) => parentSpanId))).toEqual(
    new Set(jobs.map(({ spanId }) => spanId)),
  );
  expect(valueOf(calls[0]!, 'gen_ai.provider.name')).toEqual({ stringValue: 'simulator' });
  expect(valueOf(calls[0]!, 'gen_ai.usage.input_tokens')!.intValue).toBeGreaterThan(0);
  expect(valueOf(calls[0]!, 'gen_ai.response.finish_reasons')).toEqual({
    arrayValue: { values: [{ stringValue: 'stop' }] },
  });

  const [webhook] = named('webhook execution.completed');
  expect(webhook!.parentSpanId).toBe(request!.spanId);
  const delivered = receiver.on('/hook').find(({ body }) => body.event === 'execution.completed')!
    .headers['traceparent'];
  expect(delivered).toBe(`00-${TRACE}-${webhook!.spanId}-01`);
  const everything = JSON.stringify(receiver.on('/v1/traces').map(({ body }) => body));
  expect(everything).not.toContain(SECRET_TASK);
  expect(everything).not.toContain(key);

  const metrics = metricsAt(receiver);
  const metric = (name: string) => metrics.findLast((one) => one.name === name);
  const submitted = metric('millrace_jobs_submitted_total')!.sum!;
  expect(submitted.isMonotonic).toBe(true);
  expect(submitted.dataPoints.map(({ asDouble }) => asDouble)).toEqual([1]);
  expect(metric('millrace_jobs_pending')!.gauge!.dataPoints[0]!.asDouble).toBe(0);
  const [seconds] = metric('millrace_http_request_seconds')!.histogram!.dataPoints;
  expect(seconds!.bucketCounts).toHaveLength(seconds!.explicitBounds.length + 1);
  expect(seconds!.bucketCounts.reduce((sum, count) => sum + count)).toBe(seconds!.count);
  const [tokens] = metric('gen_ai.client.token.usage')!.histogram!.dataPoints;
  expect(tokens!.count).toBe(calls.length);
});

it('a trace that the caller does not keep is not kept, and bad contexts begin a new one', async () => {
  const collector = await startReceiver();
  onTestFinished(() => collector.close());
  const server = await startTestServer({ otlpEndpoint: collector.url });
  const { key } = await server.createKey();
  const parents = [`00-${TRACE}-${CALLER}-00`, 'nonsense', `00-${'0'.repeat(32)}-${CALLER}-01`];
  for (const traceparent of parents) {
    await server.call('GET', '/api/v1/history', { key, headers: { traceparent } });
  }
  await server.call('GET', '/healthz');
  await server.close();
  const spans = spansAt(collector);
  expect(spans.map(({ name }) => name)).toEqual(['GET /api/v1/history', 'GET /api/v1/history']);
  for (const span of spans) {
    expect(span.traceId).not.toMatch(/^0+$|^4bf92f/);
    expect(span.parentSpanId ?? '').toBe('');
  }
});

it('a collector that does not answer holds up neither jobs nor the stop', async () => {
  const server = await startTestServer({ otlpEndpoint: `http://127.0.0.1:${await freePort()}` });
  const { key } = await server.createKey();
  const jobId = await server.submit(key, { model: 'sim-instant' });
  expect(await server.finished(key, jobId)).toMatchObject({ status: 'completed' });
  await server.close();
  expect(server.logs()).toContain('could not send the last traces');
});
