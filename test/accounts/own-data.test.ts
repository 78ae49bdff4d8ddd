// Taking one's data along, and going: exports, the deletion of accounts and teams, retention.
import { expect, it } from 'vitest';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { applyRetention } from '../../src/engine/retention.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { downloadArchive, linesOf } from './archive.ts';
import { BELIEVES_TESTS, PASSWORD, newPerson, joinTeam, tokenOf } from './people.ts';
import type { Person } from './people.ts';

const server = useServer(BELIEVES_TESTS);
const log = { info: () => undefined };

const cookieOf = ({ cookie = '', address }: Person) => ({ cookie, 'x-forwarded-for': address });

const download = (path: string, headers: Record<string, string>) =>
  downloadArchive(server().url + path, headers);

async function runJob(person: Person, prompt = 'hello', headers: Record<string, string> = {}) {
  const body = { streamId: 's', prompt, model: 'sim-instant', maxTokens: 9 };
  const sent = { 'sec-fetch-site': 'same-origin', ...headers };
  const { body: job } = await person.call('POST', '/api/v1/execute', body, sent);
  const path = `/api/v1/job/${String(job['jobId'])}?wait=30`;
  const ended = await person.call('GET', path, undefined, headers);
  expect(ended.body['status']).toBe('completed');
  return job['jobId'] as string;
}

it('an export whose table cannot be read to its end is broken off, and the server lives on', async () => {
  const person = await newPerson(server());
  const { db } = server();
  const { rows } = await db.query<{ id: string }>(
    'select team_id as id from team_members where user_id = $1',
    [person.userId],
  );
  const teamId = rows[0]!.id;
  // More than the buffers between the database and a reader hold, in texts that do not compress.
  await db.query(
    `insert into audit_events (id, team_id, credential, action, after)
     select 'x' || n, $1, 'system', 'x', jsonb_build_object('text', (
       select string_agg(md5(n::text || part::text), '') from generate_series(1, 2000) part))
     from generate_series(1, 400) n`,
    [teamId],
  );
  const answer = await fetch(`${server().url}/api/v1/auth/export`, { headers: cookieOf(person) });
  expect(answer.status).toBe(200);
  const reader = answer.body!.getReader();
  await reader.read();
  await db.query('alter table audit_events rename to audit_events_away');
  try {
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow();
  } finally {
    await db.query('alter table audit_events_away rename to audit_events');
  }
  expect((await person.call('GET', '/api/v1/auth/me')).status).toBe(200);
});

it('the export of a team holds what the scopes of the key open, and says what is left out', async () => {
  verifies('accounts.api-keys.scopes-everywhere');
  const { key, email } = await server().createKey({});
  await server().finished(key, await server().submit(key, { prompt: 'not for everyone' }));
  const path = `/v1/teams/${await server().teamId(email)}/export`;
  const filesFor = async (scopes: string[]) => {
    const limited = await server().createKey({ email, scopes });
    return (await download(path, { 'x-api-key': limited.key })).files;
  };
  const few = await filesFor(['teams']);
  expect(Object.keys(few).sort()).toEqual(['README.txt', 'members.json', 'team.json']);
  expect(few['README.txt']).toContain('jobs.jsonl (scope jobs)');
  const all = await filesFor(['admin']);
  expect(linesOf(all['jobs.jsonl'])).toMatchObject([{ prompt: 'not for everyone' }]);
  expect(all['README.txt']).not.toContain('Left out');
});

it('an export has everything of an account and none of its secrets', async () => {
  const person = await newPerson(server());
  const prompt = 'odd: \u0000 \ud800 "quoted"\n';
  const jobs = [await runJob(person, prompt), await runJob(person)];
  const run = { feature: 'mine', status: 'complete', startedAt: '2026-11-01T00:00:00Z' };
  const stream = { streamId: 'a', name: 'A', status: 'complete', waveNumber: 1 };
  const streams = [{ ...stream, filesChanged: ['x.ts'], tokensInput: 1, tokensOutput: 2 }];
  await person.call('PUT', `/api/v1/history/own-${person.userId}`, {
    run: { ...run, durationMs: 5 },
    streams,
  });
  const key = await person.call('POST', '/api/v1/api-keys', { name: 'ci' });
  const hook = await person.call('POST', '/v1/webhooks', {
    url: 'https://hooks.invalid/',
    events: ['*'],
  });
  await person.call('POST', '/v1/schedules', {
    name: 'Nightly',
    cron: '0 2 * * *',
    work: { project: 'shop', task: 'Fix dead links' },
  });
  const trigger = await person.call('POST', '/v1/triggers', {
    name: 'From CI',
    kind: 'url',
    work: { project: 'shop', task: 'Deploy {{values.env}}' },
  });
  const { headers, files } = await download('/api/v1/auth/export', cookieOf(person));
  expect(headers.get('content-type')).toBe('application/zip');
  expect(headers.get('content-disposition')).toMatch(/filename="millrace-account-[\d-]+\.zip"/);
  expect(JSON.parse(files['account.json']!)).toMatchObject({ email: person.email });
  expect(JSON.parse(files['api-keys.json']!)).toMatchObject([{ name: 'ci' }]);
  expect(JSON.parse(files['sessions.json']!)).toHaveLength(1);
  const kept = linesOf(files['jobs.jsonl']) as { id: string; prompt: string }[];
  expect(kept.map(({ id }) => id).sort()).toEqual(jobs.sort());
  expect(kept.map((job) => job.prompt)).toContain(prompt);
  expect(linesOf(files['runs.jsonl'])).toHaveLength(3);
  expect(linesOf(files['streams.jsonl'])).toMatchObject([{ filesChanged: ['x.ts'] }]);
  expect(linesOf(files['usage.jsonl'])).toHaveLength(2);
  expect(linesOf(files['webhooks.jsonl'])).toMatchObject([{ url: 'https://hooks.invalid/' }]);
  expect(linesOf(files['schedules.jsonl'])).toMatchObject([
    { name: 'Nightly', cron: '0 2 * * *', work: { task: 'Fix dead links' }, status: 'active' },
  ]);
  expect(linesOf(files['triggers.jsonl'])).toMatchObject([{ name: 'From CI', kind: 'url' }]);
  expect(files['audit.jsonl']).toContain('api_key.created');
  const all = Object.values(files).join('');
  const token = person.cookie!.split('=')[1]!;
  for (const secret of [
    key.body['key'],
    hook.body['secret'],
    trigger.body['secret'],
    token,
    '$argon2',
  ]) {
    expect(all).not.toContain(secret);
  }
  expectError(await person.call('GET', '/v1/teams/team_x/export'), 'NOT_FOUND');
});

it('a team of many jobs is exported whole, by those who manage it', async () => {
  const owner = await newPerson(server());
  const id = (await owner.call('POST', '/v1/teams', { name: 'Many' })).body['id'] as string;
  // More than a page of each, some of them at the same moment.
  await server().db.query(
    `insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count, started_at)
     select $1 || '-' || n, $2, $1, 'f', 'complete', 'jobs', 1, 1, now() - n / 3 * interval '1 second'
     from generate_series(1, 250) n`,
    [id, owner.userId],
  );
  await server().db.query(
    `insert into jobs (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated,
       max_tokens, priority, prompt, timeout_ms, deadline_at, status, queued_at)
     select r.id || '-' || n, r.user_id, r.team_id, r.id, 's', 1, 'simulator', 'sim-instant', true,
       1, 0, '"x"', 1000, now(), 'completed', now()
     from runs r, generate_series(1, 12) n where r.team_id = $1 and r.id like '%0'`,
    [id],
  );
  const { files } = await download(`/v1/teams/${id}/export`, cookieOf(owner));
  const ids = (name: string) => linesOf(files[name]).map((row) => (row as { id: string }).id);
  expect(new Set(ids('runs.jsonl')).size).toBe(250);
  expect(new Set(ids('jobs.jsonl')).size).toBe(25 * 12);
  expect(JSON.parse(files['members.json']!)).toMatchObject([{ email: owner.email }]);
  const other = await newPerson(server());
  await joinTeam(server(), { teamId: id, userId: other.userId, role: 'member' });
  expectError(await other.call('GET', `/v1/teams/${id}/export`), 'FORBIDDEN');
  await owner.call('GET', `/v1/teams/${id}/export`).catch(() => undefined);
  expectError(await owner.call('GET', `/v1/teams/${id}/export`), 'RATE_LIMITED');
});

const DELETE = '/api/v1/auth/delete-account';

it('an account is deleted with what is its own, and nothing says who it was', async () => {
  const person = await newPerson(server());
  const { email, userId } = person;
  const jobId = await runJob(person);
  const made = await person.call('POST', '/api/v1/api-keys', { name: 'ci' });
  const key = made.body['key'] as string;
  expectInvalid(await person.call('POST', DELETE, { email: 'x@example.com' }), 'email');
  expectInvalid(await person.call('POST', DELETE, { email }), 'password');
  const { cookie } = person;
  const gone = await person.call('POST', DELETE, { email, password: PASSWORD });
  expect(gone.body).toEqual({ deleted: true, userId });
  person.cookie = cookie;
  expectError(await person.call('GET', '/api/v1/auth/me'), 'UNAUTHORIZED');
  expectError(await server().call('GET', '/api/v1/auth/me', { key }), 'UNAUTHORIZED');
  await applyRetention({ db: server().db, tiers: TIERS, log });
  const { db } = server();
  const { rows } = await db.query<{ text: string }>(
    `select u::text as text from users u where id = $1 union all
     select t::text from teams t where personal_user_id = $1 union all
     select j::text from jobs j where id = $2 union all
     select m::text from team_members m where user_id = $1`,
    [userId, jobId],
  );
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain(email);
  const used = await db.query('select 1 from usage_ledger where user_id = $1', [userId]);
  expect(used.rows).toHaveLength(1);
  // The address is free again.
  const again = await server().createKey({ email });
  expect(await server().userId(again.email)).not.toBe(userId);
});

/** The tables that hold a text, wherever in a row. */
async function tablesWith(text: string): Promise<string[]> {
  const { db } = server();
  const { rows } = await db.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hit = await db.query(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [
      text,
    ]);
    if (hit.rows.length > 0) found.push(name);
  }
  return found;
}

it('nothing in the database says who a deleted account was, and the teams it leaves know', async () => {
  const owner = await newPerson(server());
  const id = (await owner.call('POST', '/v1/teams', { name: 'Stays' })).body['id'] as string;
  const members = `/v1/teams/${id}/members`;
  const guest = await newPerson(server());
  const invited = await owner.call('POST', members, { email: guest.email, role: 'admin' });
  const token = tokenOf((invited.body['invitation'] as { url: string }).url);
  expect((await guest.call('POST', '/v1/invitations/accept', { token })).status).toBe(200);
  await owner.call('PATCH', `${members}/${guest.userId}`, { role: 'member' });
  await guest.call('PATCH', '/api/v1/auth/me', { name: 'Q. Unmistakable' });
  await guest.call('PATCH', `/v1/teams/${guest.teamId}`, { name: 'Renamed' });
  await server().db.query(`delete from rate_limits`);
  expect(await tablesWith('Q. Unmistakable')).toEqual(['audit_events', 'users']);
  const { email } = guest;
  expect((await guest.call('POST', DELETE, { email, password: PASSWORD })).status).toBe(200);
  await server().db.query(`delete from rate_limits`);
  expect([await tablesWith(email), await tablesWith('Q. Unmistakable')]).toEqual([[], []]);
  const here = { 'x-team-id': id, 'sec-fetch-site': 'same-origin' };
  const log = await owner.call('GET', '/v1/audit?action=member.*', undefined, here);
  const entries = log.body['items'] as { action: string; target: string; after: unknown }[];
  expect(entries[0]).toMatchObject({ action: 'member.removed', target: guest.userId });
  const asked = entries.find(({ action }) => action === 'member.invited')!;
  expect(asked.after).toEqual({ email: guest.userId, role: 'admin' });
  // Nobody else was touched, and the log stays closed.
  expect(await tablesWith(owner.email)).toContain('audit_events');
  const change = `update audit_events set after = '{}'`;
  await expect(server().db.query(change)).rejects.toThrow('never changed');
});

it('events with texts are written where a webhook wants them, and go with their work', async () => {
  const person = await newPerson(server());
  const run = async (task: string) => {
    const body = { task, model: 'sim-instant', options: { dryRun: true } };
    const { body: started } = await person.call('POST', '/v1/executions', body);
    const path = `/v1/executions/${String(started['id'])}`;
    await waitUntil(
      async () => (await person.call('GET', path)).body['status'] !== 'running',
      'the execution to end',
    );
  };
  await run('a task that nobody listens to');
  expect(await tablesWith('a task that nobody listens to')).not.toContain('webhook_events');
  const hook = { url: 'https://hooks.invalid/', events: ['*'] };
  await person.call('POST', '/v1/webhooks', hook);
  await run('a task that is sent to a webhook');
  expect(await tablesWith('a task that is sent to a webhook')).toContain('webhook_events');
  await person.call('PATCH', `/v1/teams/${person.teamId}`, { settings: { retentionDays: 1 } });
  await server().db.query(
    `update runs set started_at = now() - interval '3 days', ended_at = now() - interval '3 days'
     where team_id = $1`,
    [person.teamId],
  );
  await applyRetention({ db: server().db, tiers: TIERS, log });
  expect(await tablesWith('a task that is sent to a webhook')).toEqual([]);
  expect(await tablesWith('hooks.invalid/')).toEqual(['audit_events', 'webhooks']);
});

it('an account that others depend on stays until that is settled', async () => {
  const owner = await newPerson(server());
  const other = await newPerson(server());
  const id = (await owner.call('POST', '/v1/teams', { name: 'Shared' })).body['id'] as string;
  const members = `/v1/teams/${id}/members`;
  await joinTeam(server(), { teamId: id, userId: other.userId, role: 'member' });
  const body = { email: owner.email, password: PASSWORD };
  const refused = expectError(await owner.call('POST', DELETE, body), 'CONFLICT');
  expect(refused.message).toContain('"Shared"');
  expect((await owner.call('GET', '/api/v1/auth/me')).status).toBe(200);
  await owner.call('PATCH', `${members}/${other.userId}`, { role: 'owner' });
  expect((await owner.call('POST', DELETE, body)).status).toBe(200);
  const left = await other.call('GET', members);
  expect(left.body).toMatchObject({ total: 1, items: [{ email: other.email }] });
});

it('an account without a password is deleted by somebody who has just signed in', async () => {
  const person = await newPerson(server());
  const { db } = server();
  await db.query('update users set password_hash = null where id = $1', [person.userId]);
  await db.query(
    `update sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
    [person.userId],
  );
  const body = { email: person.email };
  const refused = expectError(await person.call('POST', DELETE, body), 'FORBIDDEN');
  expect(refused.message).toContain('sign in again');
  await db.query('update sessions set created_at = now() where user_id = $1', [person.userId]);
  expect((await person.call('POST', DELETE, body)).status).toBe(200);
});

it('the last administrator stays, and a deleted account is in no list of the server', async () => {
  const admin = await newPerson(server());
  const other = await newPerson(server());
  const { db } = server();
  await db.query('update users set is_admin = (id = $1)', [admin.userId]);
  const body = { email: admin.email, password: PASSWORD };
  const refused = expectError(await admin.call('POST', DELETE, body), 'CONFLICT');
  expect(refused.message).toContain('only server administrator');
  await other.call('POST', DELETE, { email: other.email, password: PASSWORD });
  const search = `/api/v1/admin/users?search=${other.userId}`;
  expect((await admin.call('GET', search)).body['items']).toEqual([]);
  const gone = `/api/v1/admin/users/${other.userId}`;
  expectError(await admin.call('PATCH', gone, { isAdmin: true }), 'NOT_FOUND');
  const { rows } = await db.query('select id from users where is_admin');
  expect(rows).toEqual([{ id: admin.userId }]);
  await db.query('update users set is_admin = false');
});

it('ended work goes when its time is over, and stays counted', async () => {
  const { db } = server();
  const person = await newPerson(server());
  const old = [await runJob(person), await runJob(person)];
  const kept = await runJob(person);
  const age = `update runs set started_at = now() - interval '8 days', ended_at = now() - interval '8 days'
    where id in (select run_id from jobs where id = any($1))`;
  await db.query(age, [old]);
  const settings = { settings: { retentionDays: 7 } };
  const retain = () => applyRetention({ db, tiers: TIERS, log });
  const before = await person.call('GET', '/v1/usage/current');
  // Nothing says when it goes: it stays.
  expect(await retain()).toBe(0);
  await person.call('PATCH', `/v1/teams/${person.teamId}`, settings);
  expect(await retain()).toBe(2);
  expect(await retain()).toBe(0);
  const { rows } = await db.query('select id from jobs where id = any($1)', [[...old, kept]]);
  expect(rows).toEqual([{ id: kept }]);
  expect((await person.call('GET', '/api/v1/history')).body).toMatchObject({ total: 1 });
  const after = await person.call('GET', '/v1/usage/current');
  expect(after.body).toEqual(before.body);

  // A tier with an end of its own cannot be stretched.
  await db.query(`update teams set tier = 'trial' where id = $1`, [person.teamId]);
  const longer = { settings: { retentionDays: 31 } };
  const refused = await person.call('PATCH', `/v1/teams/${person.teamId}`, longer);
  expectInvalid(refused, 'settings.retentionDays');
  await person.call('PATCH', `/v1/teams/${person.teamId}`, { settings: { retentionDays: null } });
  await db.query(age.replaceAll('8 days', '31 days'), [[kept]]);
  expect(await retain()).toBe(1);
});

it('work that is under way or belongs to an open execution does not go', async () => {
  const { db } = server();
  const person = await newPerson(server());
  await person.call('PATCH', `/v1/teams/${person.teamId}`, { settings: { retentionDays: 1 } });
  const ages = { started: '3 days', ended: 'null' };
  const insert = (id: string, source: string, openJobs: number) =>
    db.query(
      `insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count,
         open_jobs, started_at, ended_at)
       values ($1, $2, $3, 'f', 'in_progress', $4, 1, 1, $5, now() - interval '${ages.started}', ${ages.ended})`,
      [id, person.userId, person.teamId, source, openJobs],
    );
  await insert(`open-${person.userId}`, 'jobs', 1);
  await insert(`between-${person.userId}`, 'execution', 0);
  await insert(`left-${person.userId}`, 'client', 0);
  expect(await applyRetention({ db, tiers: TIERS, log })).toBe(1);
  const { rows } = await db.query('select id from runs where team_id = $1 order by id', [
    person.teamId,
  ]);
  expect(rows).toEqual([{ id: `between-${person.userId}` }, { id: `open-${person.userId}` }]);
});
