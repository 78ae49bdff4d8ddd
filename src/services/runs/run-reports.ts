// Runs of command lines while they are under way: their reports, what they changed, and stopping them.
import type {
  ReportRunRequest,
  ReportedRun,
  RunManifest,
  StreamChanges,
} from '../../contract/run-report-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import { listOpenJobs } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import {
  findRunManifest,
  listRunChanges,
  requestCancel,
  writeReport,
} from '../../store/runs/run-reports.ts';
import type { JobService } from '../jobs/jobs.ts';
import { checkRunId } from './run-owner.ts';
import type { RunOwners } from './run-owner.ts';

export interface RunReportService {
  report(identity: Identity, runId: string, report: ReportRunRequest): Promise<ReportedRun>;
  changes(identity: Identity, runId: string): Promise<StreamChanges[]>;
  /** Undefined where it was not reported. */
  manifest(identity: Identity, runId: string): Promise<RunManifest | undefined>;
  /** Asks its command line to stop; without one, cancels the jobs that it has here. */
  cancel(identity: Identity, runId: string): Promise<boolean>;
}

export function createRunReportService(deps: {
  db: Db;
  runOwners: RunOwners;
  signals: Signals;
  jobs: JobService;
}): RunReportService {
  const { db, runOwners } = deps;

  return {
    async report(identity, runId, report) {
      checkRunId(runId);
      const { userId, teamId } = identity;
      const key = { teamId, runId };
      const reported = await db.tx((tx) => writeReport(tx, key, userId, report));
      deps.signals.emit('runs', [runKeyText(key)]);
      return reported;
    },
    async changes(identity, runId) {
      return listRunChanges(db, await runOwners.find(identity, runId, 'read'));
    },
    async manifest(identity, runId) {
      return findRunManifest(db, await runOwners.find(identity, runId, 'read'));
    },
    async cancel(identity, runId) {
      const key = await runOwners.find(identity, runId, 'write', 'jobs of a run');
      // It would take jobs that end under its hands for failures, and try to fix them.
      if (await requestCancel(db, key)) {
        deps.signals.emit('runs', [runKeyText(key)]);
        return true;
      }
      const open = await listOpenJobs(db, key);
      const ended = await Promise.all(open.map((id) => deps.jobs.cancel(identity, id)));
      return ended.some(({ cancelled }) => cancelled);
    },
  };
}
