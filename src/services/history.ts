// The runs of a team.
import { ServiceError, invalid } from '../contract/errors.ts';
import type {
  HistoryQuery,
  RecordRunRequest,
  RunStream,
  RunSummary,
} from '../contract/history-api.ts';
import { apiKeyIdOf } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { Db } from '../store/postgres/db.ts';
import { collectSignals } from '../store/postgres/signals.ts';
import type { Signals } from '../store/postgres/signals.ts';
import { tellSpent } from '../store/usage/budget-events.ts';
import type { RunKey } from '../domain/run/run-key.ts';
import { findReports } from '../store/runs/run-reports.ts';
import { findRun, listRunStreams, listRuns, upsertRecordedRun } from '../store/runs/runs.ts';
import type { Access } from './access.ts';
import { checkRunId } from './runs/run-owner.ts';
import type { RunOwners } from './runs/run-owner.ts';

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

export function createHistoryService(deps: {
  db: Db;
  access: Access;
  runOwners: RunOwners;
  signals: Signals;
}): HistoryService {
  /** Between two of its jobs a run looks ended here; the command line that makes it knows better. */
  async function withReports(teamId: string, runs: readonly RunSummary[]): Promise<RunSummary[]> {
    if (runs.length === 0) return [];
    const reports = await findReports(
      deps.db,
      teamId,
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

  async function view(key: RunKey) {
    const found = await findRun(deps.db, key);
    if (found === undefined) throw new ServiceError('NOT_FOUND', 'There is no run with this id.');
    const [run] = await withReports(key.teamId, [found.run]);
    return { run: run!, streams: await listRunStreams(deps.db, { ...key, moved: found.moved }) };
  }

  return {
    find: async (identity, runId) => view(await deps.runOwners.find(identity, runId, 'read')),
    async list(identity, query) {
      const teamId = query.organizationId ?? identity.teamId;
      await deps.access.mayReadTeam(identity, teamId);
      const author = query.author === 'me' ? identity.userId : query.author;
      const { items, total } = await listRuns(deps.db, teamId, { ...query, author });
      return {
        items: await withReports(teamId, items),
        total,
        offset: query.offset,
        limit: query.limit,
      };
    },
    async record(identity, runId, body) {
      checkRunId(runId);
      const ids = new Set(body.streams.map((stream) => stream.streamId));
      if (ids.size < body.streams.length) {
        throw invalid('streams', 'duplicate', 'Each streamId may appear only once.');
      }
      const organizationId = body.run.organizationId ?? identity.teamId;
      const key = await deps.runOwners.forRecord(identity, organizationId, runId);
      const { teamId } = key;
      const owner = { userId: identity.userId, teamId, apiKeyId: apiKeyIdOf(identity) };
      const pending = collectSignals();
      const outcome = await deps.db.tx(async (tx) => {
        const recorded = await upsertRecordedRun(tx, owner, runId, body);
        await tellSpent(tx, [teamId], pending);
        return recorded;
      });
      pending.sendBy(deps.signals);
      return { ...(await view(key)), created: outcome === 'created' };
    },
  };
}
