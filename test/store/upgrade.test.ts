// Rows that an earlier release has written, read by this one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fullView } from '../../src/services/jobs/job-view.ts';
import { findUserByEmail } from '../../src/store/accounts/users.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { createJobReads } from '../../src/store/jobs/jobs.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { copyMigrations } from '../support/copy-migrations.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

let database: TestDatabase;
let folder: string;
let db: Db;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'millrace-sql-'));
  db = openDb({ url: database.url, silenceMs: PATIENT_MS });
});

afterEach(async () => {
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** All there are without a version. */
async function migrateTo(version = Infinity): Promise<void> {
  await copyMigrations(folder, version);
  await migrate({ url: database.url, folder });
}

it('a job that was completed before it was kept why answers end is shown with null', async () => {
  await migrateTo(5);
  await db.query(
    `insert into jobs (id, user_id, run_id, stream_id, wave_number, provider, model, simulated,
       max_tokens, priority, prompt, timeout_ms, deadline_at, status, queued_at, started_at,
       ended_at, output, settled_at)
     values ('job_1', 'user_1', 'run_1', 'api', 1, 'simulator', 'sim-instant', true, 10, 0, '"x"',
       1000, now(), 'completed', now(), now(), now(), '"done"', now())`,
  );
  await migrateTo();
  const job = await createJobReads(db).row('job_1');
  expect(JSON.parse(fullView(job!))).toMatchObject({
    status: 'completed',
    output: 'done',
    stopReason: null,
    errorCode: null,
  });
});

it('accounts of one address, which the database kept apart, are both found as they are written', async () => {
  await migrateTo(32);
  // As where the lower case of I is another letter.
  await db.query(`
    drop index users_email;
    insert into users (id, email) values ('user_1', 'ivy@example.com'), ('user_2', 'IVY@example.com'),
      ('user_3', '\u00c9ve@example.com')`);
  await migrateTo();
  const found = async (email: string) => (await findUserByEmail(db, email))?.id;
  expect(await found('ivy@example.com')).toBe('user_1');
  expect(await found('Ivy@example.com')).toBe('user_1');
  expect(await found('IVY@example.com')).toBe('user_2');
  expect(await found('\u00c9ve@example.com')).toBe('user_3');
  const add = `insert into users (id, email) values ('user_4', 'IvY@example.com')`;
  await expect(db.query(add)).rejects.toThrow('users_email_key');
});

it('work of before belongs to the personal team of its user, with its tier and its counts', async () => {
  await migrateTo(10);
  await db.query(`
    insert into users (id, email, tier) values ('user_1', 'a@example.com', 'pro');
    insert into teams (id, name, personal_user_id) values ('team_1', 'a@example.com', 'user_1');
    insert into team_members (team_id, user_id, role) values ('team_1', 'user_1', 'owner');
    insert into user_queue (user_id, in_queue) values ('user_1', 3);
    insert into usage_months (user_id, month, runs_counted) values ('user_1', '2026-01-01', 7);
    insert into idempotency_keys (user_id, key, body_hash, resource_id)
      values ('user_1', 'k', '', 'job_1');
    insert into webhooks (id, user_id, url, events, status, sealed_secret)
      values ('wh_1', 'user_1', 'https://example.com/', '{*}', 'active', 'sealed')`);
  await migrateTo();
  const { rows } = await db.query(`
    select t.tier, q.in_queue, m.runs_counted, k.key, w.id as webhook
    from teams t join team_queue q on q.team_id = t.id join usage_months m on m.team_id = t.id
    join idempotency_keys k on k.team_id = t.id and k.user_id = t.personal_user_id
    join webhooks w on w.team_id = t.id`);
  expect(rows).toEqual([{ tier: 'pro', in_queue: 3, runs_counted: 7, key: 'k', webhook: 'wh_1' }]);
});
