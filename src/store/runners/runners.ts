// Machines that take run requests, and what each can work on. Whether one is there, the database's clock says.
import type { AnnounceRunner, RunnerProject } from '../../contract/runner-api.ts';
import type { Queryable } from '../postgres/db.ts';

export type RunnerFacts = Omit<AnnounceRunner, 'id' | 'projects'>;
export type ProjectFacts = Omit<RunnerProject, 'name'>;

export interface RunnerRow {
  id: string;
  userId: string;
  email: string;
  userName: string | null;
  facts: RunnerFacts;
  session: number;
  isDraining: boolean;
  isAway: boolean;
  createdAt: Date;
  seenAt: Date;
}

/** The session that it has now; undefined when it was removed, or is another person's or another team's. */
export async function renewRunner(
  tx: Queryable,
  runner: { id: string; teamId: string; userId: string; facts: RunnerFacts },
): Promise<number | undefined> {
  const { rows } = await tx.query<{ session: number }>(
    `update runners set facts = $4, labels = $5, session = session + 1, seen_at = now()
     where id = $1 and team_id = $2 and user_id = $3 returning session`,
    [runner.id, runner.teamId, runner.userId, JSON.stringify(runner.facts), runner.facts.labels],
  );
  return rows[0]?.session;
}

export async function insertRunner(
  tx: Queryable,
  runner: { id: string; teamId: string; userId: string; facts: RunnerFacts },
): Promise<number> {
  const { rows } = await tx.query<{ session: number }>(
    `insert into runners (id, team_id, user_id, name, facts, labels)
     values ($1, $2, $3, $4, $5, $6) returning session`,
    [
      runner.id,
      runner.teamId,
      runner.userId,
      runner.facts.name,
      JSON.stringify(runner.facts),
      runner.facts.labels,
    ],
  );
  return rows[0]!.session;
}

/** What it does not name any more is not its project any more. */
export async function setRunnerProjects(
  tx: Queryable,
  { id, teamId }: { id: string; teamId: string },
  projects: readonly RunnerProject[],
): Promise<void> {
  const names = projects.map(({ name }) => name);
  const facts = projects.map((project) => JSON.stringify({ ...project, name: undefined }));
  await tx.query(
    `insert into projects (team_id, name) select $1, unnest($2::text[]) order by 2 on conflict do nothing`,
    [teamId, names],
  );
  await tx.query('delete from runner_projects where runner_id = $1 and name <> all($2)', [
    id,
    names,
  ]);
  await tx.query(
    `insert into runner_projects (runner_id, team_id, name, in_place, facts)
     select $1, $2, p.name, p.in_place, p.facts
     from unnest($3::text[], $4::boolean[], $5::jsonb[]) as p (name, in_place, facts)
     on conflict (runner_id, name) do update set in_place = excluded.in_place, facts = excluded.facts`,
    [id, teamId, names, projects.map(({ inPlace }) => inPlace), facts],
  );
}

export interface TouchedRunner {
  name: string;
  labels: string[];
  projects: string[];
  isDraining: boolean;
  wasAway: boolean;
  /** Something waits in one of its projects, for it or for another runner. */
  hasQueue: boolean;
}

/**
 * Says that it is there, and what there is to know of it: all in one, because runners that wait ask it all the time.
 * Undefined when another process is this runner now, or it was removed.
 */
export async function touchRunner(
  db: Queryable,
  { id, teamId, userId, session }: { id: string; teamId: string; userId: string; session: number },
  awaySeconds: number,
): Promise<TouchedRunner | undefined> {
  const { rows } = await db.query<TouchedRunner>(
    `update runners r set seen_at = now() from (select id, seen_at from runners where id = $1) b
     where r.id = b.id and r.team_id = $2 and r.user_id = $3 and r.session = $4
     returning r.draining as "isDraining", r.facts ->> 'name' as name, r.labels,
       array(select k.name from runner_projects k where k.runner_id = r.id order by k.name) as projects,
       exists (select from runner_projects k
         join run_requests q on q.team_id = r.team_id and q.project = k.name and q.status = 'queued'
         where k.runner_id = r.id) as "hasQueue",
       b.seen_at < now() - make_interval(secs => $5) as "wasAway"`,
    [id, teamId, userId, session, awaySeconds],
  );
  return rows[0];
}

const RUNNER = (awayAfter: string) => `r.id, r.user_id as "userId", u.email, u.name as "userName",
  r.facts, r.session, r.draining as "isDraining",
  r.seen_at < now() - make_interval(secs => ${awayAfter}) as "isAway",
  r.created_at as "createdAt", r.seen_at as "seenAt"`;

export async function listRunners(
  db: Queryable,
  teamId: string,
  awaySeconds: number,
): Promise<RunnerRow[]> {
  const { rows } = await db.query<RunnerRow>(
    `select ${RUNNER('$2')} from runners r join users u on u.id = r.user_id
     where r.team_id = $1 order by r.id`,
    [teamId, awaySeconds],
  );
  return rows;
}

export async function setDraining(
  tx: Queryable,
  { id, teamId }: { id: string; teamId: string },
  isDraining: boolean,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update runners set draining = $3 where id = $1 and team_id = $2',
    [id, teamId, isDraining],
  );
  return rowCount > 0;
}

export async function deleteRunner(
  tx: Queryable,
  { id, teamId }: { id: string; teamId: string },
): Promise<boolean> {
  const { rowCount } = await tx.query('delete from runners where id = $1 and team_id = $2', [
    id,
    teamId,
  ]);
  return rowCount > 0;
}

export interface RunnerProjectRow {
  runnerId: string;
  name: string;
  facts: ProjectFacts;
}

export async function listRunnerProjects(
  db: Queryable,
  teamId: string,
): Promise<RunnerProjectRow[]> {
  const { rows } = await db.query<RunnerProjectRow>(
    `select runner_id as "runnerId", name, facts from runner_projects where team_id = $1
     order by name, runner_id`,
    [teamId],
  );
  return rows;
}

export interface ProjectRow {
  name: string;
  maxRunning: number | null;
  createdAt: Date;
  queued: number;
  running: number;
}

export async function listProjects(db: Queryable, teamId: string): Promise<ProjectRow[]> {
  const { rows } = await db.query<ProjectRow>(
    `select p.name, p.max_running as "maxRunning", p.created_at as "createdAt",
       count(*) filter (where r.status = 'queued')::int as queued,
       count(*) filter (where r.status = 'running')::int as running
     from projects p
     left join run_requests r on r.team_id = p.team_id and r.project = p.name
       and r.status in ('queued', 'running')
     where p.team_id = $1 group by p.team_id, p.name order by p.name`,
    [teamId],
  );
  return rows;
}

export async function setMaxRunning(
  tx: Queryable,
  { teamId, name }: { teamId: string; name: string },
  maxRunning: number | null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update projects set max_running = $3 where team_id = $1 and name = $2',
    [teamId, name, maxRunning],
  );
  return rowCount > 0;
}

export async function hasProject(
  db: Queryable,
  { teamId, name }: { teamId: string; name: string },
): Promise<boolean> {
  const { rows } = await db.query('select 1 from projects where team_id = $1 and name = $2', [
    teamId,
    name,
  ]);
  return rows.length > 0;
}
