// A run request as one part of what else happens: a schedule that fires, a delivery that came, a person who asks.
import { ServiceError, invalid } from '../../contract/errors.ts';
import type {
  RequestOrigin,
  RequestWriter,
  RunRequestWork,
} from '../../contract/run-request-api.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import type { Queryable } from '../../store/postgres/db.ts';
import type { PendingSignals } from '../../store/postgres/signals.ts';
import { tellRequests } from '../../store/runners/request-events.ts';
import {
  cancelRunRequests as cancelRows,
  countQueued,
  findRunnerOfRun,
  insertRunRequest,
} from '../../store/runners/run-requests.ts';
import { hasProject } from '../../store/runners/runners.ts';

const MAX_QUEUED = 5000;

export interface RequestToAdd {
  /** Made up where it is left out. */
  id?: string;
  teamId: string;
  /** Whom it acts and pays as. */
  userId: string;
  apiKeyId: string | null;
  work: RunRequestWork;
  origin: { kind: RequestOrigin; id: string | null };
  /** Who must have write access; the runner asks the forge before anything starts. */
  writer?: RequestWriter;
}

/** In the caller's transaction. Its id. */
export async function addRunRequest(
  tx: Queryable,
  pending: PendingSignals,
  { id = newId('rreq'), teamId, work, writer, ...request }: RequestToAdd,
): Promise<string> {
  await lockTeam(tx, teamId);
  const { project, run } = work;
  if (!(await hasProject(tx, { teamId, name: project }))) {
    const message = `No runner of this team has a project "${project}". Start one with it first.`;
    throw invalid('project', 'unknown_project', message);
  }
  const found = run && (await findRunnerOfRun(tx, { teamId, runId: run.id }));
  if (run !== undefined && (found === undefined || found.project !== project)) {
    const message = `No runner has made the run ${run.id} in "${project}", so none has its files.`;
    throw invalid('run.id', 'unknown_run', message);
  }
  if ((await countQueued(tx, teamId)) >= MAX_QUEUED) {
    const message = `${MAX_QUEUED} run requests of this team are waiting. Cancel some, or connect more runners.`;
    throw new ServiceError('CONFLICT', message);
  }
  await insertRunRequest(tx, {
    ...request,
    id,
    teamId,
    work,
    writer: writer ?? null,
    onlyRunner: found?.runnerId ?? null,
  });
  tellRequests(pending, teamId);
  return id;
}

/** Those of the ids that were stopped, or will be by their runner. */
export async function cancelRunRequests(
  tx: Queryable,
  pending: PendingSignals,
  { teamId, ids, why }: { teamId: string; ids: readonly string[]; why: string },
): Promise<string[]> {
  const changed = await cancelRows(tx, ids, why);
  if (changed.length > 0) tellRequests(pending, teamId);
  return changed.map(({ id }) => id);
}
