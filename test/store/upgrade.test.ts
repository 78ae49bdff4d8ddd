// Rows that an earlier release has written, read by this one.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fullView } from '../../src/services/job-view.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { findJob } from '../../src/store/jobs/jobs.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { fromRoot } from '../pins/tree.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let folder: string;
let db: Db;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'millrace-sql-'));
  db = openDb({ url: database.url });
});

afterEach(async () => {
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** All there are without a version. */
async function migrateTo(version = Infinity): Promise<void> {
  const names = (await readdir(fromRoot('sql'))).filter(
    (name) => Number(name.slice(0, 4)) <= version,
  );
  for (const name of names) await copyFile(join(fromRoot('sql'), name), join(folder, name));
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
  const job = await findJob(db, 'job_1');
  expect(JSON.parse(fullView(job!))).toMatchObject({
    status: 'completed',
    output: 'done',
    stopReason: null,
    errorCode: null,
  });
});
