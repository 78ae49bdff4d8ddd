// A new database has no statistics until its first minute is over, and the plans made until then are kept. The work of a
// job must not grow with the jobs that its team already has.
import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';

const JOBS = 40;
const server = useServer();

/** How many entries were read of indexes, and how often they were used. Sessions report it a little later. */
async function usageOf(indexes: string[]): Promise<{ read: number; scans: number }> {
  const { rows } = await server().db.query<{ read: number; scans: number }>(
    `select sum(idx_tup_read)::int as read, sum(idx_scan)::int as scans from pg_stat_user_indexes
     where indexrelname = any($1)`,
    [indexes],
  );
  return rows[0]!;
}

it('a job reads its own rows, not those of its whole team', async () => {
  const { key } = await server().createKey();
  for (let count = 0; count < JOBS; count += 1) {
    await server().finished(key, await server().submit(key));
  }
  await expect.poll(async () => (await usageOf(['jobs_pkey'])).scans).toBeGreaterThan(2 * JOBS);
  await expect.poll(async () => (await usageOf(['jobs_by_run'])).scans).toBeGreaterThan(JOBS / 2);
  const { read } = await usageOf(['jobs_by_team', 'runs_by_team', 'runs_by_author']);
  expect(read).toBeLessThan(3 * JOBS);
});
