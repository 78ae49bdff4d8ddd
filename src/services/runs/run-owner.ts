// Whose run an id names. Ids are chosen by clients, and each team has its own: a caller means the run of the team
// that the request acts in. Where that team has none, it is the run of another team that the caller is in. What only
// others have is refused, like everything that belongs to others.
import { RUN_ID_PATTERN } from '../../contract/fields.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { Action } from '../../contract/permissions.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Db } from '../../store/postgres/db.ts';
import { listTeamsOfRun } from '../../store/runs/runs.ts';
import type { Access, Thing } from '../access.ts';

export interface RunOwners {
  /** NOT_FOUND when no team has the run, FORBIDDEN when only others have it. */
  find(identity: Identity, runId: string, action: Action, thing?: Thing): Promise<RunKey>;
  /** Where a record of a run goes that a client sends for the team. FORBIDDEN as above. */
  forRecord(identity: Identity, teamId: string, runId: string): Promise<RunKey>;
}

const NO_RUN = 'There is no run with this id.';

/** For an id that the caller chooses. */
export function checkRunId(runId: string): void {
  if (RUN_ID_PATTERN.test(runId)) return;
  const message = 'A run id has 1 to 128 letters, digits, ".", "_", ":" or "-".';
  throw invalid('id', 'invalid_format', message);
}

export function createRunOwners({ db, access }: { db: Db; access: Access }): RunOwners {
  return {
    async find(identity, runId, action, thing = 'run') {
      const teams = RUN_ID_PATTERN.test(runId) ? await listTeamsOfRun(db, runId) : [];
      if (teams.length === 0) throw new ServiceError('NOT_FOUND', NO_RUN);
      const rows = teams.map((teamId) => ({ teamId }));
      const { teamId } = await access.mayOneOf(identity, rows, thing, action);
      return { teamId, runId };
    },
    async forRecord(identity, teamId, runId) {
      checkRunId(runId);
      await access.mayWriteTeam(identity, teamId);
      const teams = await listTeamsOfRun(db, runId);
      // A team that has jobs or reports of the run continues it, even if others use the same id.
      if (teams.length > 0 && !teams.includes(teamId)) {
        const rows = teams.map((each) => ({ teamId: each }));
        await access.mayOneOf(identity, rows, 'run', 'read');
      }
      return { teamId, runId };
    },
  };
}
