import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ slots: 1 });

async function runOf(key: string, runId: string) {
  const { body } = await server().call('GET', `/api/v1/history/${runId}`, { key });
  const { run, streams } = body as {
    run: { status: string; durationMs: number };
    streams: { streamId: string; status: string }[];
  };
  return { ...run, streams: Object.fromEntries(streams.map((one) => [one.streamId, one.status])) };
}

const cancel = (key: string, jobId: string) =>
  server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });

describe('a run made of jobs', () => {
  it('is pending, then in progress, then complete', async () => {
    verifies('history.run.status-values', 'history.stream.status-values', 'history.run.grouped');
    const { key } = await server().createKey();
    const blocker = await server().submit(key, { prompt: '[[sim:hang]]', runId: 'blocker' });
    await waitUntil(async () => (await runOf(key, 'blocker')).status === 'in_progress');
    expect((await runOf(key, 'blocker')).streams).toEqual({ api: 'in_progress' });
    const first = await server().submit(key, { runId: 'steps', streamId: 'one' });
    await server().submit(key, { runId: 'steps', streamId: 'two', prompt: '[[sim:hang]]' });
    expect(await runOf(key, 'steps')).toMatchObject({
      status: 'pending',
      streams: { one: 'pending', two: 'pending' },
    });
    await cancel(key, blocker);
    await server().finished(key, first);
    const between = await runOf(key, 'steps');
    expect(between.status).toBe('in_progress');
    expect(between.streams['one']).toBe('complete');
    const hanging = await server().db.query<{ id: string }>(
      `select id from jobs where run_id = 'steps' and stream_id = 'two'`,
    );
    await waitUntil(async () => (await runOf(key, 'steps')).streams['two'] === 'in_progress');
    await cancel(key, hanging.rows[0]!.id);
    expect(await runOf(key, 'steps')).toMatchObject({
      status: 'cancelled',
      streams: { one: 'complete', two: 'failed' },
    });
    expect((await runOf(key, 'blocker')).status).toBe('cancelled');
  });

  it('is failed when one of its jobs failed by itself', async () => {
    verifies('history.run.status-values');
    const { key } = await server().createKey();
    const ids = [
      await server().submit(key, { runId: 'mixed', streamId: 'good' }),
      await server().submit(key, { runId: 'mixed', streamId: 'bad', prompt: '[[sim:auth]]' }),
    ];
    for (const id of ids) await server().finished(key, id);
    expect(await runOf(key, 'mixed')).toMatchObject({
      status: 'failed',
      streams: { good: 'complete', bad: 'failed' },
    });
  });

  it('opens again when a job joins it after its end', async () => {
    verifies('history.run.grouped');
    const { key } = await server().createKey();
    await server().finished(key, await server().submit(key, { runId: 'more', streamId: 'a' }));
    const ended = await runOf(key, 'more');
    expect(ended.status).toBe('complete');
    const second = await server().submit(key, {
      runId: 'more',
      streamId: 'b',
      prompt: '[[sim:hang]]',
    });
    expect(['pending', 'in_progress']).toContain((await runOf(key, 'more')).status);
    await cancel(key, second);
    await server().finished(key, await server().submit(key, { runId: 'more', streamId: 'b' }));
    expect((await runOf(key, 'more')).streams).toEqual({ a: 'complete', b: 'complete' });
  });
});
