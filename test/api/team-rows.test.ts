// What belongs to a team is seen by its members, changed by those whose role allows it, and by no
// one else. Memberships are written straight into the table: there are no routes for them yet.
import { expect, it } from 'vitest';
import { FIND_KEY_OWNER } from '../../src/store/accounts/accounts.ts';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

type Member = Awaited<ReturnType<ReturnType<typeof server>['createKey']>>;

async function join(member: Member, team: string, role: string): Promise<void> {
  await server().db.query('insert into team_members (team_id, user_id, role) values ($1, $2, $3)', [
    team,
    await server().userId(member.email),
    role,
  ]);
}

it('whom a key belongs to is found by indexes alone, however many teams there are', async () => {
  const plan = await server().db.tx(async (tx) => {
    // Where no index can serve, all rows are read and filtered.
    await tx.query('set local enable_seqscan = off');
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
      `explain ${FIND_KEY_OWNER.text}`.replace('$1', `'\\x00'::bytea`),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('Index');
  expect(plan).not.toMatch(/Seq Scan|Join Filter/);
});

it('a job carries its team, the user who made it and the key', async () => {
  const { key, id, email } = await server().createKey();
  const jobId = await server().submit(key);
  for (const table of ['jobs', 'runs', 'usage_ledger']) {
    await expect
      .poll(async () => {
        const by = table === 'runs' ? 'id = (select run_id from jobs where id = $1)' : 'true';
        const own = table === 'usage_ledger' ? 'job_id = $1' : table === 'jobs' ? 'id = $1' : by;
        const { rows } = await server().db.query(
          `select team_id, user_id, api_key_id from ${table} where ${own}`,
          [jobId],
        );
        return rows;
      })
      .toEqual([
        {
          team_id: await server().teamId(email),
          user_id: await server().userId(email),
          api_key_id: id,
        },
      ]);
  }
});

it('a member reads what another member made, a viewer changes nothing, strangers see nothing', async () => {
  const [owner, viewer, stranger] = [
    await server().createKey(),
    await server().createKey(),
    await server().createKey(),
  ];
  const team = await server().teamId(owner.email);
  await join(viewer, team, 'viewer');
  const path = `/api/v1/job/${await server().submit(owner.key)}`;
  expect((await server().call('GET', path, { key: viewer.key })).status).toBe(200);
  expectError(await server().call('GET', path, { key: stranger.key }), 'FORBIDDEN');
  expectError(await server().call('POST', `${path}/cancel`, { key: viewer.key }), 'FORBIDDEN');
  const history = `/api/v1/history?organizationId=${team}`;
  expect((await server().call('GET', history, { key: viewer.key })).body['total']).toBe(1);
  const run = { feature: 'x', status: 'complete', startedAt: new Date().toISOString() };
  const body = { run: { ...run, durationMs: 1, organizationId: team }, streams: [] };
  expectError(
    await server().call('PUT', '/api/v1/history/viewers-own', { key: viewer.key, body }),
    'FORBIDDEN',
  );
});

it('a key that was made for a team acts in that team only, and in none when its owner has left', async () => {
  const [owner, member] = [await server().createKey(), await server().createKey()];
  const team = await server().teamId(owner.email);
  await join(member, team, 'member');
  const own = `/api/v1/job/${await server().submit(member.key)}`;
  await server().db.query('update api_keys set team_id = $2 where id = $1', [member.id, team]);
  // Nodes remember who a key belongs to for a few seconds.
  const refused = (path: string, code: string) =>
    waitUntil(async () => {
      const { body } = await server().call('GET', path, { key: member.key });
      return (body['error'] as { code: string } | undefined)?.code === code;
    });
  await refused(own, 'FORBIDDEN');
  const jobId = await server().submit(member.key);
  expect((await server().call('GET', `/api/v1/job/${jobId}`, { key: owner.key })).status).toBe(200);
  const { rows } = await server().db.query('select team_id from jobs where id = $1', [jobId]);
  expect(rows).toEqual([{ team_id: team }]);
  const userId = await server().userId(member.email);
  await server().db.query('delete from team_members where team_id = $1 and user_id = $2', [
    team,
    userId,
  ]);
  await refused(own, 'UNAUTHORIZED');
});
