import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

interface Item {
  id: string;
  feature: string;
  status: string;
  startedAt: string;
}

async function list(key: string, query = '') {
  const answer = await server().call('GET', `/api/v1/history${query}`, { key });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { items: Item[]; total: number; offset: number; limit: number };
}

const idsOf = ({ items }: { items: Item[] }) => items.map((item) => item.id);

/** Runs with known times, statuses and names, oldest first. */
async function recordRuns(key: string, runs: [string, string, string][]): Promise<void> {
  for (const [id, status, startedAt] of runs) {
    const body = { run: { feature: `Feature ${id}`, status, startedAt }, streams: [] };
    const answer = await server().call('PUT', `/api/v1/history/${id}`, { key, body });
    expect(answer.status).toBe(201);
  }
}

describe('the history of a caller', () => {
  it('has items with all fields of a run summary, newest first', async () => {
    verifies('history.list.route', 'history.summary.fields', 'history.summary.started-at');
    const { key } = await server().createKey();
    expect(await list(key)).toEqual({ items: [], total: 0, offset: 0, limit: 10 });
    const jobs = [await server().submit(key), await server().submit(key, { streamId: 'second' })];
    const ended = [];
    for (const id of jobs) ended.push(await server().finished(key, id));
    const page = await list(key);
    expect(page).toEqual({
      items: ended
        .map((job) => ({
          id: job['runId'],
          feature: job['streamId'],
          status: 'complete',
          streamCount: 1,
          waveCount: 1,
          durationMs: expect.any(Number),
          startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          totalCostUsd: job['costUsd'],
          author: { id: expect.stringMatching(/^user_/), name: expect.stringContaining('@') },
          models: [job['model']],
        }))
        .toReversed(),
      total: 2,
      offset: 0,
      limit: 10,
    });
    expect(page.items[0]?.startedAt).toBe(ended[1]?.['queuedAt']);
  });

  it('holds nobody else, and asks for a key', async () => {
    verifies('history.list.own');
    const [one, two] = [await server().createKey(), await server().createKey()];
    await server().submit(one.key);
    expect((await list(one.key)).total).toBe(1);
    expect(await list(two.key)).toMatchObject({ items: [], total: 0 });
    expectError(await server().call('GET', '/api/v1/history'), 'UNAUTHORIZED');
  });

  it('comes in pages of ten, or as many as asked for', async () => {
    verifies('history.list.offset', 'history.list.limit');
    const { key } = await server().createKey();
    const runs = Array.from({ length: 12 }, (_, i): [string, string, string] => [
      `paged-${i + 10}`,
      'complete',
      `2024-01-${i + 10}T00:00:00Z`,
    ]);
    await recordRuns(key, runs);
    const all = runs.map(([id]) => id).toReversed();
    const first = await list(key);
    expect(first).toMatchObject({ total: 12, offset: 0, limit: 10 });
    expect(idsOf(first)).toEqual(all.slice(0, 10));
    const second = await list(key, '?offset=10');
    expect(second).toMatchObject({ total: 12, offset: 10, limit: 10 });
    expect(idsOf(second)).toEqual(all.slice(10));
    expect(idsOf(await list(key, '?offset=1&limit=3'))).toEqual(all.slice(1, 4));
    expect(idsOf(await list(key, '?limit=100'))).toEqual(all);
    expect(await list(key, '?offset=50')).toMatchObject({ items: [], total: 12, offset: 50 });
  });

  it('refuses a limit outside 1 to 100 and an offset that is no count', async () => {
    verifies('history.list.limit-strict');
    const { key } = await server().createKey();
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '1e1', '', '%20', '99999999999']) {
      expectInvalid(await server().call('GET', `/api/v1/history?limit=${limit}`, { key }), 'limit');
    }
    for (const offset of ['-1', '0.5', 'x', '3000000000']) {
      const answer = await server().call('GET', `/api/v1/history?offset=${offset}`, { key });
      expectInvalid(answer, 'offset');
    }
    expectInvalid(await server().call('GET', '/api/v1/history?limit=1&limit=2', { key }), 'limit');
  });

  it('can be narrowed by status, part of the feature, and time', async () => {
    verifies('history.list.status', 'history.list.feature', 'history.list.period');
    const { key } = await server().createKey();
    await recordRuns(key, [
      ['narrow-a', 'complete', '2024-03-01T00:00:00Z'],
      ['narrow-b', 'failed', '2024-03-02T00:00:00Z'],
      ['narrow-c', 'paused', '2024-03-03T00:00:00Z'],
      ['narrow-d', 'complete', '2024-03-04T00:00:00Z'],
    ]);
    expect(await list(key, '?status=failed')).toMatchObject({
      total: 1,
      items: [{ id: 'narrow-b' }],
    });
    expect(idsOf(await list(key, '?status=complete'))).toEqual(['narrow-d', 'narrow-a']);
    expect(idsOf(await list(key, '?feature=ROW-C'))).toEqual(['narrow-c']);
    // What is a pattern to a database is plain text here.
    expect(await list(key, '?feature=%25')).toMatchObject({ total: 0 });
    expect(await list(key, '?feature=_')).toMatchObject({ total: 0 });
    expect(idsOf(await list(key, '?since=2024-03-02T00:00:00Z'))).toEqual([
      'narrow-d',
      'narrow-c',
      'narrow-b',
    ]);
    expect(idsOf(await list(key, '?until=2024-03-02T00:00:00Z'))).toEqual(['narrow-a']);
    expect(await list(key, '?author=me')).toMatchObject({ total: 4 });
    expect(await list(key, '?author=user_somebody')).toMatchObject({ total: 0 });
    const both = '?since=2024-03-02T00:00:00Z&until=2024-03-04T00:00:00Z&status=paused';
    expect(idsOf(await list(key, both))).toEqual(['narrow-c']);
    for (const [name, value] of [
      ['status', 'done'],
      ['since', 'yesterday'],
      ['until', '2024-13-01T00:00:00Z'],
      ['feature', ''],
    ] as const) {
      const answer = await server().call('GET', `/api/v1/history?${name}=${value}`, { key });
      expectInvalid(answer, name);
    }
  });

  it('can be narrowed to an organization that the caller is in', async () => {
    verifies('history.list.organization');
    const [one, two] = [await server().createKey(), await server().createKey()];
    const { rows } = await server().db.query<{ email: string; id: string }>(
      'select u.email, t.id from teams t join users u on u.id = t.personal_user_id',
    );
    const teamOf = (email: string) => rows.find((row) => row.email === email)?.id ?? '';
    const [own, foreign] = [teamOf(one.email), teamOf(two.email)];
    await server().submit(one.key);
    expect((await list(one.key, `?organizationId=${own}`)).total).toBe(1);
    const path = (team: string) => `/api/v1/history?organizationId=${team}`;
    expectError(await server().call('GET', path(foreign), { key: one.key }), 'FORBIDDEN');
    expectError(await server().call('GET', path('team_none'), { key: one.key }), 'NOT_FOUND');
    // A member of a further team: runs of the personal one are not in its list.
    await server().db.query(
      `insert into team_members (team_id, user_id, role)
       select $1, personal_user_id, 'member' from teams where id = $2`,
      [foreign, own],
    );
    expect((await list(one.key, `?organizationId=${foreign}`)).total).toBe(0);
  });
});

it('a filter by status goes by the status that is shown, also of a run under way', async () => {
  const { key } = await server().createKey();
  const runId = 'between-jobs';
  const event = { v: 1, seq: 1, ts: '2026-01-01T00:00:00.000Z', type: 'run.note', code: 'X' };
  const summary = { done: 0, failed: 0, total: 2, wave: 1, waves: 2, simulated: false };
  const body = { name: 'x', events: [{ ...event, message: 'x' }], summary };
  await server().finished(key, await server().submit(key, { runId }));
  await server().call('POST', `/api/v1/runs/${runId}/events`, { key, body });
  expect(await list(key)).toMatchObject({ items: [{ id: runId, status: 'in_progress' }] });
  expect(await list(key, '?status=complete')).toMatchObject({ items: [], total: 0 });
  expect(await list(key, '?status=in_progress')).toMatchObject({
    items: [{ id: runId }],
    total: 1,
  });
});
