// What a run and its streams may cost. Set when a run opens; every job and call of the run keeps to it.
import type { RunCaps, RunCapsRequest } from '../../contract/stream-token-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { roundUsd } from '../../domain/usage/usage-month.ts';
import { lockTeamQueue } from '../../store/accounts/teams.ts';
import type { Db } from '../../store/postgres/db.ts';
import { lockRuns } from '../../store/runs/lock-runs.ts';
import { findRunCaps, setRunCaps } from '../../store/usage/run-caps.ts';
import { checkRunId } from './run-owner.ts';

export interface RunCapService {
  /** What is not named stays as it is. */
  set(identity: Identity, runId: string, request: RunCapsRequest): Promise<RunCaps>;
  find(identity: Identity, runId: string): Promise<RunCaps>;
}

export function createRunCaps({ db }: { db: Db }): RunCapService {
  async function view(run: RunKey): Promise<RunCaps> {
    const caps = (await findRunCaps(db, [run])).get(runKeyText(run)) ?? [];
    const shown: RunCaps = { run: null, streams: {} };
    for (const { streamId, limitUsd, spentUsd, reservedUsd } of caps) {
      const cap = { limitUsd, spentUsd: roundUsd(spentUsd), reservedUsd: roundUsd(reservedUsd) };
      if (streamId === undefined) shown.run = cap;
      else shown.streams[streamId] = cap;
    }
    return shown;
  }

  return {
    async set(identity, runId, { maxCostUsd, streams = {} }) {
      checkRunId(runId);
      const run = { teamId: identity.teamId, runId };
      const caps = Object.entries(streams).map(([streamId, limitUsd]) => ({ streamId, limitUsd }));
      await db.tx(async (tx) => {
        await lockTeamQueue(tx, run.teamId);
        await lockRuns(tx, [run]);
        await setRunCaps(tx, run, [
          ...(maxCostUsd === undefined ? [] : [{ streamId: undefined, limitUsd: maxCostUsd }]),
          ...caps,
        ]);
      });
      return view(run);
    },
    async find(identity, runId) {
      checkRunId(runId);
      return view({ teamId: identity.teamId, runId });
    },
  };
}
