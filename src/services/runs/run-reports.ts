// Runs of command lines while they are under way: their reports, what they changed, and stopping them.
import { RUN_ID_PATTERN } from '../../contract/fields.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type {
  ReportRunRequest,
  ReportedRun,
  RunManifest,
  StreamChanges,
} from '../../contract/run-report-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { listOpenJobs } from '../../store/jobs/jobs.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import {
  findReports,
  findRunManifest,
  listRunChanges,
  requestCancel,
  writeReport,
} from '../../store/runs/run-reports.ts';
import { findRun } from '../../store/runs/runs.ts';
import type { Access } from '../access.ts';
import type { JobService } from '../jobs/jobs.ts';

export interface RunReportService {
  report(identity: Identity, runId: string, report: ReportRunRequest): Promise<ReportedRun>;
  changes(identity: Identity, runId: string): Promise<StreamChanges[]>;
  /** Undefined where it was not reported. */
  manifest(identity: Identity, runId: string): Promise<RunManifest | undefined>;
  /** Asks its command line to stop; without one, cancels the jobs that it has here. */
  cancel(identity: Identity, runId: string): Promise<boolean>;
  /** Throws unless the caller may see the run, which may be known by its reports alone. */
  mayRead(identity: Identity, runId: string): Promise<void>;
  /** The same for changing it; tells whose it is. */
  mayWrite(identity: Identity, runId: string): Promise<{ teamId: string }>;
}

const NO_RUN = 'There is no run with this id.';

export function createRunReportService(deps: {
  db: Db;
  access: Access;
  signals: Signals;
  jobs: JobService;
}): RunReportService {
  const { db, access } = deps;

  async function ownerOf(runId: string): Promise<{ teamId: string }> {
    if (!RUN_ID_PATTERN.test(runId)) throw new ServiceError('NOT_FOUND', NO_RUN);
    const [run, reports] = await Promise.all([findRun(db, runId), findReports(db, [runId])]);
    const found = run ?? reports.get(runId);
    if (found === undefined) throw new ServiceError('NOT_FOUND', NO_RUN);
    return found;
  }

  return {
    async report(identity, runId, report) {
      if (!RUN_ID_PATTERN.test(runId)) {
        const message = 'A run id has 1 to 128 letters, digits, ".", "_", ":" or "-".';
        throw invalid('id', 'invalid_format', message);
      }
      const { userId, teamId } = identity;
      const written = await db.tx((tx) => writeReport(tx, { userId, teamId }, runId, report));
      if (written === undefined) {
        throw new ServiceError('FORBIDDEN', 'This run belongs to another account.');
      }
      deps.signals.emit('runs', [runId]);
      const { lastSeq, cancelRequested } = written;
      return { lastSeq, cancelRequested };
    },
    async changes(identity, runId) {
      await access.mayRead(identity, await ownerOf(runId), 'run');
      return listRunChanges(db, runId);
    },
    async manifest(identity, runId) {
      await access.mayRead(identity, await ownerOf(runId), 'run');
      return findRunManifest(db, runId);
    },
    async cancel(identity, runId) {
      await access.mayWrite(identity, await ownerOf(runId), 'run');
      // It would take jobs that end under its hands for failures, and try to fix them.
      if (await requestCancel(db, runId)) {
        deps.signals.emit('runs', [runId]);
        return true;
      }
      const open = await listOpenJobs(db, runId);
      const ended = await Promise.all(open.map((id) => deps.jobs.cancel(identity, id)));
      return ended.some(({ cancelled }) => cancelled);
    },
    async mayRead(identity, runId) {
      await access.mayRead(identity, await ownerOf(runId), 'run');
    },
    async mayWrite(identity, runId) {
      const owner = await ownerOf(runId);
      await access.mayWrite(identity, owner, 'run');
      return owner;
    },
  };
}
