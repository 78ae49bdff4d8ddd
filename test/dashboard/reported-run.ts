// A run as a command line would report it, without one.
import { expect } from 'vitest';
import { patiently } from '../support/patient-call.ts';
import type { TestServer } from '../support/server.ts';

const TOKENS = { input: 1000, output: 200, cachedInput: 400 };

export interface ReportedRunOptions {
  /** Of stream `b`, which waits for `a`. */
  end?: 'complete' | 'failed' | 'open';
  costUsd?: number;
  /** Its text, where it is reported. */
  manifest?: string;
  /** More of its first event, such as its branch. */
  started?: object;
}

/** Streams `a` and `b`, of which `a` is complete. */
export function eventsOfRun(
  runId: string,
  { end = 'complete', costUsd = 0.25, started = {} }: ReportedRunOptions,
) {
  const startedAt = Date.now() - 10_000;
  const streams = [
    { id: 'a', name: 'About a', wave: 1, status: 'pending', waitsFor: [] },
    { id: 'b', name: 'About b', wave: 2, status: 'pending', waitsFor: ['a'] },
  ];
  const start = (stream: string) => [
    { type: 'stream.started', stream, attempt: 1, wave: 1 },
    { type: 'stream.call', stream, attempt: 1, call: 1, key: 'k' },
  ];
  const answer = (stream: string) => ({
    type: 'stream.answer',
    stream,
    attempt: 1,
    call: 1,
    ok: true,
    tokens: TOKENS,
    costUsd,
  });
  const over = { attempt: 1, wave: 1, durationMs: 2000, tokens: TOKENS, costUsd };
  const totals = {
    streams: { pending: 0, in_progress: 0, complete: 1, failed: 1, skipped: 0, blocked: 0 },
    fixes: 0,
    tokens: TOKENS,
    costUsd,
    durationMs: 5000,
    filesChanged: [],
  };
  const ends = {
    complete: [
      answer('b'),
      { type: 'stream.completed', stream: 'b', ...over, files: [] },
      { type: 'run.completed', totals },
    ],
    failed: [
      answer('b'),
      { type: 'stream.failed', stream: 'b', ...over, error: 'npm test exited with 1' },
      { type: 'run.failed', totals },
    ],
    open: [],
  };
  return [
    {
      type: 'run.started',
      runId,
      manifest: 'Shelves',
      file: 'my plan.yaml',
      model: 'sim-fast',
      streams,
      ...started,
    },
    ...start('a'),
    answer('a'),
    {
      type: 'stream.applied',
      stream: 'a',
      attempt: 1,
      files: [{ path: 'out/a.md', kind: 'create', additions: 1 }],
    },
    { type: 'stream.completed', stream: 'a', ...over, files: ['out/a.md'] },
    ...start('b'),
    ...ends[end],
  ].map((event, index) => ({
    v: 1,
    seq: index + 1,
    ts: new Date(startedAt + index * 500).toISOString(),
    ...event,
  }));
}

const PATCH = `diff --git a/out/a.md b/out/a.md
new file mode 100644
--- /dev/null
+++ b/out/a.md
@@ -0,0 +1 @@
+About a
`;

/** In the history, as the jobs of a run bring it there. */
async function recordRun(
  server: TestServer,
  key: string,
  runId: string,
  body: { run: object; streams: object[] },
): Promise<void> {
  const put = () => server.call('PUT', `/api/v1/history/${runId}`, { key, body });
  const { status } = await patiently(put);
  expect(status).toBeLessThan(300);
}

export async function reportRun(
  server: TestServer,
  key: string,
  runId: string,
  options: ReportedRunOptions = {},
): Promise<void> {
  const { end = 'complete' } = options;
  const status = { complete: 'complete', failed: 'failed', open: 'in_progress' }[end];
  const run = {
    feature: 'Shelves',
    status,
    startedAt: new Date(Date.now() - 10_000).toISOString(),
    durationMs: end === 'failed' ? 8000 : 5000,
  };
  const streams = [{ streamId: 'a', status: 'complete', costUsd: options.costUsd ?? 0.25 }];
  await recordRun(server, key, runId, { run, streams });
  const file = { path: 'out/a.md', kind: 'create', additions: 1, deletions: 0, patch: PATCH };
  const body = {
    name: 'Shelves',
    events: eventsOfRun(runId, options),
    changes: [{ streamId: 'a', files: [file] }],
    summary: {
      done: 1,
      failed: 0,
      total: 2,
      wave: 2,
      waves: 2,
      simulated: false,
      models: ['sim-fast', 'sim-slow'],
    },
    ...(options.manifest === undefined ? {} : { manifest: { text: options.manifest } }),
  };
  const post = () => server.call('POST', `/api/v1/runs/${runId}/events`, { key, body });
  const reported = await patiently(post);
  expect(reported.status).toBe(200);
  if (end === 'open') await keepLive(server, runId);
}

/** Nobody reports it again, however long the test takes: after a minute it would be called silent. */
export async function keepLive(server: TestServer, runId: string): Promise<void> {
  await server.db.query(
    `update run_reports set reported_at = now() + interval '1 hour' where run_id = $1`,
    [runId],
  );
}

/** Ten waves that wait for their first stream. */
export async function reportLargeRun(
  server: TestServer,
  key: string,
  runId: string,
  count: number,
): Promise<void> {
  const run = { feature: 'Large', status: 'in_progress', startedAt: new Date().toISOString() };
  await recordRun(server, key, runId, { run, streams: [] });
  const wide = count / 10;
  const streams = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    name: `Stream ${index}`,
    wave: 1 + Math.floor(index / wide),
    status: 'pending',
    waitsFor: index < wide ? [] : [`s${index - wide}`],
  }));
  const started = { type: 'run.started', runId, manifest: 'Large', file: 'm.yaml', streams };
  const body = {
    name: 'Large',
    events: [{ v: 1, seq: 1, ts: new Date().toISOString(), ...started }],
    summary: { done: 0, failed: 0, total: count, wave: 1, waves: 10, simulated: false },
  };
  const post = () => server.call('POST', `/api/v1/runs/${runId}/events`, { key, body });
  const { status } = await patiently(post);
  expect(status).toBe(200);
}
