// Runs of command lines while they are under way: their reports, what they changed, and stopping them.
import { ServiceError } from '../../contract/errors.ts';
import { MAX_RUN_REPORT_BYTES, MAX_TEAM_REPORT_BYTES } from '../../contract/run-report-api.ts';
import type {
  ReportRunRequest,
  ReportedRun,
  RunManifest,
  StreamChanges,
} from '../../contract/run-report-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { listOpenJobs } from '../../store/jobs/jobs.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import {
  findRunManifest,
  listRunChanges,
  requestCancel,
  writeReport,
} from '../../store/runs/run-reports.ts';
import type { JobService } from '../jobs/jobs.ts';
import { addReportBytes, findTeamReportBytes } from '../../store/runs/report-bytes.ts';
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

/** Events of a second, without changes. */
const SMALL_REPORT_BYTES = 64 * 1024;

const inMiB = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

/** Throws when what was written is more than a run or a team may keep; then nothing of it stays. */
async function checkRoom(tx: Queryable, key: RunKey, addedBytes: number): Promise<void> {
  if (addedBytes === 0) return;
  const ofRun = await addReportBytes(tx, key, addedBytes);
  // What was replaced by something shorter always fits.
  if (addedBytes < 0) return;
  if (ofRun > MAX_RUN_REPORT_BYTES) {
    const message = `Reports of one run may hold ${inMiB(MAX_RUN_REPORT_BYTES)}. Send fewer changes, or none.`;
    throw new ServiceError('PAYLOAD_TOO_LARGE', message);
  }
  // Small ones cannot get a team far, and there are many of them.
  if (addedBytes < SMALL_REPORT_BYTES) return;
  if ((await findTeamReportBytes(tx, key.teamId)) > MAX_TEAM_REPORT_BYTES) {
    const message = `Reports of all runs of a team may hold ${inMiB(MAX_TEAM_REPORT_BYTES)}. Send no changes, or set a shorter retention.`;
    throw new ServiceError('PAYLOAD_TOO_LARGE', message);
  }
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
      const reported = await db.tx(async (tx) => {
        const { addedBytes, ...written } = await writeReport(tx, key, userId, report);
        await checkRoom(tx, key, addedBytes);
        return written;
      });
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
