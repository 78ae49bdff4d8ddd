// The runs of a team.
import { ServiceError, invalid } from '../contract/errors.ts';
import type {
  HistoryQuery,
  RecordRunRequest,
  RunStream,
  RunSummary,
} from '../contract/history-api.ts';
import { RUN_ID_PATTERN } from '../contract/fields.ts';
import { apiKeyIdOf } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { Db } from '../store/postgres/db.ts';
import { collectSignals } from '../store/postgres/signals.ts';
import type { Signals } from '../store/postgres/signals.ts';
import { tellSpent } from '../store/usage/budget-events.ts';
import { findReports } from '../store/runs/run-reports.ts';
import { findRun, listRunStreams, listRuns, upsertRecordedRun } from '../store/runs/runs.ts';
import type { Access } from './access.ts';

export interface HistoryService {
  list(
    identity: Identity,
    query: HistoryQuery,
  ): Promise<{
    items: RunSummary[];
    total: number;
    offset: number;
    limit: number;
  }>;
  find(identity: Identity, runId: string): Promise<{ run: RunSummary; streams: RunStream[] }>;
  record(
    identity: Identity,
    runId: string,
    body: RecordRunRequest,
  ): Promise<{ run: RunSummary; streams: RunStream[]; created: boolean }>;
}

const NOT_YOURS = 'This run belongs to another account.';

export function createHistoryService(deps: {
  db: Db;
  access: Access;
  signals: Signals;
}): HistoryService {
  /** Between two of its jobs a run looks ended here; the command line that makes it knows better. */
  async function withReports(runs: readonly RunSummary[]): Promise<RunSummary[]> {
    if (runs.length === 0) return [];
    const reports = await findReports(
      deps.db,
      runs.map(({ id }) => id),
    );
    return runs.map((run) => {
      const live = reports.get(run.id)?.live;
      if (live === undefined) return run;
      // Its jobs tell best; before the first of them only the command line knows.
      const models = run.models ?? live.models;
      const status = live.isLive ? 'in_progress' : run.status;
      return { ...run, ...(models && { models }), live, status };
    });
  }

  async function find(identity: Identity, runId: string) {
    const found = RUN_ID_PATTERN.test(runId) ? await findRun(deps.db, runId) : undefined;
    if (found === undefined) throw new ServiceError('NOT_FOUND', 'There is no run with this id.');
    await deps.access.mayRead(identity, found, 'run');
    const [run] = await withReports([found.run]);
    return { run: run!, streams: await listRunStreams(deps.db, { ...found, id: runId }) };
  }

  return {
    find,
    async list(identity, query) {
      const teamId = query.organizationId ?? identity.teamId;
      await deps.access.mayReadTeam(identity, teamId);
      const author = query.author === 'me' ? identity.userId : query.author;
      const { items, total } = await listRuns(deps.db, teamId, { ...query, author });
      return { items: await withReports(items), total, offset: query.offset, limit: query.limit };
    },
    async record(identity, runId, body) {
      if (!RUN_ID_PATTERN.test(runId)) {
        throw invalid(
          'id',
          'invalid_format',
          'A run id has 1 to 128 letters, digits, ".", "_", ":" or "-".',
        );
      }
      const ids = new Set(body.streams.map((stream) => stream.streamId));
      if (ids.size < body.streams.length) {
        throw invalid('streams', 'duplicate', 'Each streamId may appear only once.');
      }
      const teamId = body.run.organizationId ?? identity.teamId;
      await deps.access.mayWriteTeam(identity, teamId);
      const owner = { userId: identity.userId, teamId, apiKeyId: apiKeyIdOf(identity) };
      const pending = collectSignals();
      const outcome = await deps.db.tx(async (tx) => {
        const recorded = await upsertRecordedRun(tx, owner, runId, body);
        await tellSpent(tx, [teamId], pending);
        return recorded;
      });
      pending.sendBy(deps.signals);
      if (outcome === 'forbidden') throw new ServiceError('FORBIDDEN', NOT_YOURS);
      return { ...(await find(identity, runId)), created: outcome === 'created' };
    },
  };
}
