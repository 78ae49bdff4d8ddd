// Jobs of the past move to the archive while things break: each is in one place, and callers find it all the time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../test/support/chaos/random.ts';
import { ALL_JOBS } from '../test/support/ledger-sums.ts';
import { insertOldJobs, moveOld } from '../test/support/old-jobs.ts';
import type { Db } from '../src/store/postgres/db.ts';
import type { Team } from './load.ts';
import type { World } from './world.ts';

const HOURS = 2;
/** Old enough to move, and on the way there for a while. */
const MADE_AT_ONCE = 20;
const MOVED_AT_ONCE = 7;
const LOOKS = 3;
const PAUSE_MS = 300;

/** Those, too, that were stored while the answer was lost. */
async function remove(db: Db): Promise<void> {
  await db.query(
    `with old as (
       delete from archived_jobs where stream_id = 'api' returning run_id, team_id
     ), gone as (
       delete from runs where id in (select run_id from old)
     )
     update usage_months m set runs_recorded = m.runs_recorded - o.runs
     from (select team_id, count(*)::int as runs from old group by 1) o where o.team_id = m.team_id`,
  );
}

export interface Past {
  /** Jobs that are known to be stored. */
  jobIds: string[];
  run(until: () => boolean): Promise<void>;
  /** What is wrong with them; then they go, because no server has run them and counted what they cost. */
  end(): Promise<string[]>;
}

export async function createPast(world: World, random: Random, team: Team): Promise<Past> {
  const { db } = world;
  const { rows } = await db.query<{ userId: string; teamId: string }>(
    `select u.id as "userId", t.id as "teamId" from users u join teams t on t.personal_user_id = u.id
     order by u.created_at limit 1`,
  );
  const owner = rows[0]!;
  const jobIds: string[] = [];
  const missed = new Set<string>();

  async function look(jobId: string): Promise<void> {
    const url = world.apiUrl(random.pick);
    if (url === undefined) return;
    const response = await fetch(`${url}/api/v1/job/${jobId}`, {
      headers: { 'x-api-key': team.key },
      signal: AbortSignal.timeout(20_000),
    });
    const { status } = (await response.json()) as { status?: string };
    if (response.status === 404 || (response.status === 200 && status !== 'completed')) {
      missed.add(`I1: ${jobId} of the past was answered with ${response.status}, ${status}`);
    }
  }

  async function round(): Promise<void> {
    const at = new Date(Date.now() - (HOURS + 1) * 3_600_000);
    jobIds.push(...(await insertOldJobs(db, owner, { count: MADE_AT_ONCE, at })));
    const moving = moveOld(db, { hours: HOURS, limit: MOVED_AT_ONCE });
    const looks = Array.from({ length: LOOKS }, () => look(random.pick(jobIds)));
    await Promise.allSettled([moving, ...looks]);
  }

  return {
    jobIds,
    async run(until) {
      while (!until()) {
        // Whatever is broken now, the database or what is before it: the next round finds out.
        await round().catch(() => undefined);
        await delay(PAUSE_MS);
      }
    },
    async end() {
      await moveOld(db, { hours: HOURS });
      const { rows: places } = await db.query<{ id: string; times: number }>(
        `select id, (select count(*)::int from ${ALL_JOBS} j where j.id = i.id) as times
         from unnest($1::text[]) i(id)`,
        [jobIds],
      );
      const { rows: left } = await db.query<{ id: string }>(
        'select id from jobs where id = any($1)',
        [jobIds],
      );
      for (let count = 0; count < 20 && jobIds.length > 0; count++) await look(random.pick(jobIds));
      await remove(db);
      return [
        ...missed,
        ...places
          .filter(({ times }) => times !== 1)
          .map(({ id, times }) => `I1: ${id} of the past is there ${times} times`),
        ...left.map(({ id }) => `I1: ${id} of the past did not move`),
      ];
    },
  };
}
