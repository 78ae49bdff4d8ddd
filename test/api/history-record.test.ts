import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

const RUN = { feature: 'Own work', status: 'complete', startedAt: '2025-05-05T05:05:05.000Z' };
const STREAM = { streamId: 'a', status: 'complete' };

const put = (key: string, id: string, body: unknown) =>
  server().call('PUT', `/api/v1/history/${id}`, { key, body });

describe('recording a run', () => {
  it('stores the run and its streams and answers 201 with them', async () => {
    verifies('history.put', 'history.run.totals', 'history.stream.fields');
    const { key } = await server().createKey();
    const streams = [
      {
        streamId: 'a',
        name: 'Stream A',
        status: 'complete',
        waveNumber: 1,
        filesChanged: ['src/a.ts'],
        tokensInput: 100,
        tokensOutput: 20,
        costUsd: 0.25,
      },
      { streamId: 'b', status: 'failed', waveNumber: 2, tokensInput: 7, costUsd: 0.5 },
    ];
    const answer = await put(key, 'recorded-1', { run: { ...RUN, durationMs: 1234 }, streams });
    expect(answer.status).toBe(201);
    const expected = {
      run: {
        id: 'recorded-1',
        ...RUN,
        durationMs: 1234,
        streamCount: 2,
        waveCount: 2,
        totalCostUsd: 0.75,
        author: { id: expect.stringMatching(/^user_/), name: expect.stringContaining('@') },
      },
      streams: [
        {
          streamId: 'a',
          name: 'Stream A',
          status: 'complete',
          waveNumber: 1,
          filesChanged: ['src/a.ts'],
          tokensInput: 100,
          tokensOutput: 20,
        },
        {
          streamId: 'b',
          name: 'b',
          status: 'failed',
          waveNumber: 2,
          filesChanged: [],
          tokensInput: 7,
          tokensOutput: 0,
        },
      ],
    };
    expect(answer.body).toEqual(expected);
    const read = await server().call('GET', '/api/v1/history/recorded-1', { key });
    expect(read.body).toEqual(expected);
    const list = await server().call('GET', '/api/v1/history', { key });
    expect(list.body).toMatchObject({ items: [expected.run], total: 1 });
  });

  it('twice leaves the same run, and another body replaces it', async () => {
    verifies('history.put.idempotent');
    const { key } = await server().createKey();
    const body = { run: RUN, streams: [STREAM, { ...STREAM, streamId: 'b' }] };
    const first = await put(key, 'recorded-2', body);
    const again = await put(key, 'recorded-2', body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const shorter = await put(key, 'recorded-2', {
      run: { ...RUN, status: 'failed', feature: 'Renamed' },
      streams: [STREAM],
    });
    expect(shorter.body).toMatchObject({
      run: { status: 'failed', feature: 'Renamed', streamCount: 1 },
      streams: [{ streamId: 'a' }],
    });
    const list = await server().call('GET', '/api/v1/history', { key });
    expect(list.body).toMatchObject({ total: 1 });
  });

  it('of many at once under one id leaves one run', async () => {
    verifies('history.put.idempotent');
    const { key } = await server().createKey();
    const body = { run: RUN, streams: [STREAM] };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => put(key, 'recorded-at-once', body)),
    );
    const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const list = await server().call('GET', '/api/v1/history', { key });
    expect(list.body).toMatchObject({ total: 1 });
  });

  it("is 403 on somebody else's run, which stays as it is", async () => {
    verifies('history.put.foreign', 'auth.forbidden');
    const [owner, other] = [await server().createKey(), await server().createKey()];
    const first = await put(owner.key, 'recorded-3', { run: RUN, streams: [STREAM] });
    const body = { run: { ...RUN, feature: 'Mine now' }, streams: [] };
    expectError(await put(other.key, 'recorded-3', body), 'FORBIDDEN');
    const read = await server().call('GET', '/api/v1/history/recorded-3', { key: owner.key });
    expect(read.body).toEqual(first.body);
  });

  it('takes every status of a run and of a stream, and no other', async () => {
    verifies('history.run.status-values', 'history.stream.status-values');
    const { key } = await server().createKey();
    const runs = ['pending', 'in_progress', 'paused', 'complete', 'failed', 'cancelled'];
    for (const status of runs) {
      const answer = await put(key, `status-${status}`, { run: { ...RUN, status }, streams: [] });
      expect(answer.body).toMatchObject({ run: { status } });
    }
    const streams = ['pending', 'in_progress', 'complete', 'failed', 'skipped', 'blocked'];
    const answer = await put(key, 'status-streams', {
      run: RUN,
      streams: streams.map((status) => ({ streamId: status, status })),
    });
    expect(answer.body['streams']).toMatchObject(streams.map((status) => ({ status })));
    for (const status of ['done', 'completed', 'running', '']) {
      expectInvalid(await put(key, 'x', { run: { ...RUN, status }, streams: [] }), 'run.status');
    }
    for (const status of ['done', 'cancelled', 'paused']) {
      const bad = await put(key, 'x', { run: RUN, streams: [{ streamId: 'a', status }] });
      expectInvalid(bad, 'streams.0.status');
    }
  });

  it('refuses what does not fit, with the place', async () => {
    const { key } = await server().createKey();
    const refused: [string, unknown][] = [
      ['run', { streams: [] }],
      ['streams', { run: RUN }],
      ['run.feature', { run: { ...RUN, feature: '' }, streams: [] }],
      ['run.startedAt', { run: { ...RUN, startedAt: 'today' }, streams: [] }],
      ['run.durationMs', { run: { ...RUN, durationMs: -1 }, streams: [] }],
      ['streams.0.streamId', { run: RUN, streams: [{ ...STREAM, streamId: 'a b' }] }],
      ['streams.0.tokensInput', { run: RUN, streams: [{ ...STREAM, tokensInput: 0.5 }] }],
      ['streams.0.costUsd', { run: RUN, streams: [{ ...STREAM, costUsd: -1 }] }],
      ['streams', { run: RUN, streams: [STREAM, STREAM] }],
    ];
    for (const [path, body] of refused) expectInvalid(await put(key, 'refused', body), path);
    expectInvalid(await put(key, 'a%20b', { run: RUN, streams: [] }), 'id');
    const read = await server().call('GET', '/api/v1/history/refused', { key });
    expectError(read, 'NOT_FOUND');
  });

  it('goes into a team of the caller only', async () => {
    const [one, two] = [await server().createKey(), await server().createKey()];
    const { rows } = await server().db.query<{ id: string }>(
      'select t.id from teams t join users u on u.id = t.personal_user_id where u.email = $1',
      [two.email],
    );
    const body = { run: { ...RUN, organizationId: rows[0]?.id }, streams: [] };
    expectError(await put(one.key, 'teamed', body), 'FORBIDDEN');
    expect((await put(two.key, 'teamed', body)).status).toBe(201);
  });

  it('keeps what its jobs used when a run with jobs is recorded, and adds the other streams', async () => {
    verifies('history.put', 'history.run.totals');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { runId: 'mixed-1', streamId: 'a' });
    const job = (await server().finished(key, jobId)) as { costUsd: number };
    const streams = [
      { streamId: 'a', status: 'complete', costUsd: 100 },
      { streamId: 'b', status: 'complete', waveNumber: 2, costUsd: 0.5 },
    ];
    const answer = await put(key, 'mixed-1', { run: RUN, streams });
    expect(answer.status).toBe(200);
    const run = answer.body['run'] as {
      totalCostUsd: number;
      streamCount: number;
      waveCount: number;
    };
    expect(run.totalCostUsd).toBeCloseTo(job.costUsd + 0.5, 9);
    expect(run).toMatchObject({ streamCount: 2, waveCount: 2 });
  });
});
