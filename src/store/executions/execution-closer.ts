// Ends executions from outside: on a caller's wish, or because their time is over.
import { createCoalescer } from '../postgres/coalesce.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { timedOut } from './execution-advance.ts';
import { closeExecution } from './execution-close.ts';
import type { Ending, FinalState } from './execution-close.ts';
import { announce, createEffects } from './execution-effects.ts';
import { openExecution } from './execution-rows.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { lockCappedTeams } from '../jobs/parked-jobs.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Signals } from '../postgres/signals.ts';

export interface ExecutionRef {
  id: string;
  teamId: string;
  runId: string;
}

export interface ExecutionCloser {
  /** Undefined when it had ended. */
  cancel(execution: ExecutionRef): Promise<FinalState | undefined>;
  /** Fails those whose time is over; returns how many. */
  failDue(): Promise<number>;
}

const MAX_DUE = 100;

async function listDue(db: Queryable): Promise<ExecutionRef[]> {
  const { rows } = await db.query<ExecutionRef>(
    `select id, team_id as "teamId", run_id as "runId" from executions
     where status = 'running' and deadline_at < now() order by deadline_at limit ${MAX_DUE}`,
  );
  return rows;
}

export function createExecutionCloser(deps: {
  db: Db;
  queue: Queue;
  signals: Signals;
}): ExecutionCloser {
  async function close(ref: ExecutionRef, ending: Ending): Promise<FinalState | undefined> {
    const effects = createEffects();
    const finalState = await deps.db.tx(async (tx) => {
      // In the order of the transactions that end jobs.
      const capped = await lockCappedTeams(tx, [ref.teamId], [ref.teamId]);
      await lockRuns(tx, [ref.runId]);
      const open = await openExecution(tx, ref.id);
      return open && closeExecution(tx, { queue: deps.queue, effects, capped }, open, ending);
    });
    announce(deps.signals, effects);
    return finalState;
  }

  // One at a time each; the coalescer is here for its retries when two transactions collide.
  const coalescer = createCoalescer({
    run: async ([item]: { ref: ExecutionRef; ending: Ending }[]) => [
      await close(item!.ref, item!.ending),
    ],
    maxBatch: 1,
    maxConcurrent: 4,
  });

  return {
    cancel: (ref) => coalescer.add({ ref, ending: { status: 'cancelled' } }),
    async failDue() {
      const due = await listDue(deps.db);
      const ending: Ending = { status: 'failed', error: timedOut() };
      const closed = await Promise.all(due.map((ref) => coalescer.add({ ref, ending })));
      return closed.filter((state) => state !== undefined).length;
    },
  };
}
