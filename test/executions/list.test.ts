import { describe, expect, it } from 'vitest';
import { expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf } from './execution.ts';
import { joinTeam } from '../accounts/people.ts';

const server = useServer();

interface Page {
  items: { id: string; status: string; [field: string]: unknown }[];
  nextCursor: string | null;
  hasMore: boolean;
  limit: number;
}

async function page(key: string, query = ''): Promise<Page> {
  const { status, body } = await server().call('GET', `/v1/executions${query}`, { key });
  expect(status).toBe(200);
  return body as unknown as Page;
}

/** Executions that have ended, written as the server writes them. */
async function fill(email: string, count: number): Promise<string[]> {
  const { rows } = await server().db.query<{ id: string }>(
    `with n as (
       select lpad(i::text, 26, '0') as suffix, u.id as user_id, t.id as team_id, i
       from generate_series(1, $2::int) i, users u join teams t on t.personal_user_id = u.id
       where u.email = $1
     ), r as (
       insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count,
         started_at, ended_at, duration_ms)
       select 'run_' || suffix, user_id, team_id, 'x', 'complete', 'execution', 1, 1, now(), now(), 1
       from n
     )
     insert into executions (id, user_id, team_id, run_id, status, task, context, dry_run, max_steps,
       timeout_ms, provider, model, simulated, result, deadline_at, ended_at)
     select 'exec_' || suffix, user_id, team_id, 'run_' || suffix,
       case when i % 10 = 0 then 'failed' else 'completed' end, '"x"', '{}', false, 10, 600000,
       'simulator', 'sim-fast', true, '{}', now(), now() from n
     returning id`,
    [email, count],
  );
  return rows.map(({ id }) => id).sort();
}

describe('the list of executions', () => {
  it('shows the newest first, with what is known of each', async () => {
    verifies('execution.list.route', 'execution.list.shape');
    const { key } = await server().createKey();
    const client = clientOf(server(), key);
    expect(await page(key)).toEqual({ items: [], nextCursor: null, hasMore: false, limit: 50 });
    const first = await client.start('first');
    const second = await client.start({ task: 'second', options: { dryRun: true } });
    await client.ended(first);
    await client.ended(second);
    const { items, ...rest } = await page(key);
    expect(rest).toEqual({ nextCursor: null, hasMore: false, limit: 50 });
    expect(items.map(({ id }) => id)).toEqual([second, first]);
    const { metrics } = await client.get(first);
    expect(items[1]).toEqual({
      id: first,
      status: 'completed',
      task: 'first',
      createdAt: expect.stringMatching(/Z$/),
      completedAt: expect.stringMatching(/Z$/),
      statusUrl: `/v1/executions/${first}`,
      progress: { current: 3, total: 3 },
      metrics,
    });
  });

  it('can be narrowed to those of the caller, or to the one of a key', async () => {
    verifies('execution.list.own');
    const owner = await server().createKey();
    const other = await server().createKey();
    const team = await server().call('POST', '/v1/teams', { key: owner.key, body: { name: 'us' } });
    const teamId = team.body['id'] as string;
    const userId = await server().userId(other.email);
    await joinTeam(server(), { teamId, userId, role: 'member' });
    const started: string[] = [];
    for (const { key } of [owner, other]) {
      const headers = { 'x-team-id': teamId, 'idempotency-key': 'the same' };
      const body = { task: 'x', model: 'sim-instant', options: { dryRun: true } };
      const answer = await server().call('POST', '/v1/executions', { key, headers, body });
      started.push(answer.body['id'] as string);
    }
    const ids = async (key: string, query: string, headers = { 'x-team-id': teamId }) => {
      const answer = await server().call('GET', `/v1/executions?${query}`, { key, headers });
      expect(answer.status).toBe(200);
      return (answer.body as unknown as Page).items.map(({ id }) => id);
    };
    expect(await ids(owner.key, '')).toEqual(started.toReversed());
    expect(await ids(owner.key, 'mine=false')).toEqual(started.toReversed());
    for (const [index, { key }] of [owner, other].entries()) {
      expect(await ids(key, 'mine=true')).toEqual([started[index]]);
      expect(await ids(key, 'mine=true&status=cancelled')).toEqual([]);
      expect(await ids(key, 'idempotencyKey=the+same')).toEqual([started[index]]);
      expect(await ids(key, 'idempotencyKey=the+same&status=cancelled')).toEqual([]);
      expect(await ids(key, 'idempotencyKey=another')).toEqual([]);
    }
    // A key is known to the team it was used in.
    const personal = { 'x-team-id': await server().teamId(owner.email) };
    expect(await ids(owner.key, 'idempotencyKey=the+same', personal)).toEqual([]);
    const odd = await server().call('GET', '/v1/executions?mine=yes', { key: owner.key });
    expectInvalid(odd, 'mine');
    await server().db.query("update idempotency_keys set created_at = now() - interval '25 h'");
    expect(await ids(owner.key, 'idempotencyKey=the+same')).toEqual([]);
  });

  it('pages through many without a gap or a repetition', async () => {
    verifies('execution.list.before', 'execution.list.limit', 'execution.list.shape');
    const { key, email } = await server().createKey();
    const all = (await fill(email, 1234)).toReversed();
    expect((await page(key)).items).toHaveLength(50);
    const seen: string[] = [];
    let query = '?limit=100';
    for (;;) {
      const { items, nextCursor, hasMore, limit } = await page(key, query);
      expect(limit).toBe(100);
      seen.push(...items.map(({ id }) => id));
      expect(hasMore).toBe(nextCursor !== null);
      if (nextCursor === null) break;
      expect(nextCursor).toBe(items.at(-1)?.id);
      query = `?limit=100&before=${nextCursor}`;
    }
    expect(seen).toEqual(all);
  });

  it('can be narrowed by status', async () => {
    verifies('execution.list.status');
    const { key } = await server().createKey();
    const client = clientOf(server(), key);
    const failed = await client.start('x [[sim:auth]]');
    const cancelled = await client.start('x [[sim:hang]]');
    const running = await client.start('x [[sim:hang]]');
    const completed = await client.start('x');
    await client.cancel(cancelled);
    await client.ended(failed);
    await client.ended(completed);
    for (const [status, id] of Object.entries({ failed, cancelled, running, completed })) {
      const { items } = await page(key, `?status=${status}`);
      expect(items.map((item) => [item.id, item.status])).toEqual([[id, status]]);
    }
    await client.cancel(running);
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['limit', 'limit=x'],
    ['status', 'status=done'],
    ['before', 'before=x'],
    ['before', 'before=job_01jcq8z5e0e5v8r3m6k1t2w9xh'],
  ])('refuses a bad %s: %s', async (path, query) => {
    verifies('execution.list.limit', 'execution.list.before');
    const { key } = await server().createKey();
    expectInvalid(await server().call('GET', `/v1/executions?${query}`, { key }), path);
  });
});
