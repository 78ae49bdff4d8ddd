// Runners and projects as they are shown.
import type { Project, Runner } from '../../contract/runner-api.ts';
import type { Db } from '../../store/postgres/db.ts';
import { listRunRequests } from '../../store/runners/run-requests.ts';
import { listProjects, listRunnerProjects, listRunners } from '../../store/runners/runners.ts';

export interface RunnerViews {
  runners(teamId: string): Promise<Runner[]>;
  projects(teamId: string): Promise<Project[]>;
}

const MOST_RUNNING = 1000;

export function createRunnerViews({
  db,
  leaseSeconds,
  serverVersion,
}: {
  db: Db;
  leaseSeconds: number;
  serverVersion: string;
}): RunnerViews {
  async function runners(teamId: string): Promise<Runner[]> {
    const query = {
      status: 'running',
      project: undefined,
      runId: undefined,
      before: undefined,
    } as const;
    const [rows, projects, running] = await Promise.all([
      listRunners(db, teamId, leaseSeconds),
      listRunnerProjects(db, teamId),
      listRunRequests(db, teamId, { ...query, limit: MOST_RUNNING }),
    ]);
    return rows.map((row) => {
      const { id, facts, userId, email, userName: name, isAway, isDraining } = row;
      return {
        id,
        state: isAway ? 'away' : isDraining ? 'draining' : 'connected',
        isDraining,
        ...facts,
        owner: { userId, email, name },
        projects: projects
          .filter(({ runnerId }) => runnerId === id)
          .map((project) => ({ ...project.facts, name: project.name })),
        seenAt: row.seenAt.toISOString(),
        createdAt: row.createdAt.toISOString(),
        isOutdated: facts.version !== serverVersion,
        running: running
          .filter(({ runnerId }) => runnerId === id)
          .map((each) => ({
            id: each.id,
            project: each.project,
            runId: each.runIds.at(-1) ?? null,
          })),
      };
    });
  }

  return {
    runners,
    async projects(teamId) {
      const [rows, having] = await Promise.all([listProjects(db, teamId), runners(teamId)]);
      return rows.map(({ name, createdAt, ...row }) => ({
        name,
        ...row,
        createdAt: createdAt.toISOString(),
        runners: having.flatMap((runner) => {
          const project = runner.projects.find((each) => each.name === name);
          if (project === undefined) return [];
          const { name: _, ...facts } = project;
          return [{ id: runner.id, name: runner.name, state: runner.state, ...facts }];
        }),
      }));
    },
  };
}
