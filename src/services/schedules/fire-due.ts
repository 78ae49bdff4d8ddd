// Starts what is due. Each time of a schedule is used once, whichever node dies when: the request, the line in the log and
// the next time are written in one transaction, which holds the team and the schedule.
import type { ScheduleFiring } from '../../contract/schedule-api.ts';
import { decideDue } from '../../domain/schedule/due.ts';
import type { Times } from '../../domain/schedule/next-time.ts';
import type { Logger } from '../../platform/log.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { isRetryableConflict, isUnavailable } from '../../store/postgres/errors.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { PendingSignals, Signals } from '../../store/postgres/signals.ts';
import { insertFiring, isFired } from '../../store/schedules/firings.ts';
import { findUntilNext, listDue, lockDue, updateNext } from '../../store/schedules/schedules.ts';
import type { ScheduleRow } from '../../store/schedules/schedules.ts';
import { pauseFailing, startWork } from '../start-rules/start-work.ts';
import type { StartResult } from '../start-rules/start-work.ts';

export function timesOf(
  row: Pick<ScheduleRow, 'cron' | 'timeZone' | 'everySeconds' | 'countedFrom'>,
): Times {
  const { cron, timeZone, everySeconds, countedFrom } = row;
  return cron === null || timeZone === null
    ? { kind: 'every', everySeconds: everySeconds!, from: countedFrom }
    : { kind: 'cron', cron, timeZone };
}

export function startOf(
  tx: Queryable,
  pending: PendingSignals,
  row: ScheduleRow,
  asker?: { userId: string; apiKeyId: string | null },
): Promise<StartResult> {
  return startWork(tx, pending, { ...row, kind: 'schedule', rules: row, ...(asker && { asker }) });
}

export function logged(
  start: StartResult,
): Pick<Parameters<typeof insertFiring>[1], 'result' | 'reason' | 'requestId' | 'cancelled'> {
  return start.result === 'started'
    ? { result: 'started', reason: null, requestId: start.requestId, cancelled: start.cancelled }
    : { result: start.result, reason: start.reason, requestId: null, cancelled: 0 };
}

async function fire(
  tx: Queryable,
  pending: PendingSignals,
  { id, teamId }: { id: string; teamId: string },
): Promise<ScheduleFiring['result'] | undefined> {
  // First, as everything that changes a team does. Another node that has it just now has also started this one.
  await lockTeam(tx, teamId);
  const locked = await lockDue(tx, id);
  if (locked === undefined) return undefined;
  const { schedule, now } = locked;
  const { nextAt: dueAt, catchUp } = schedule;
  const due = decideDue(timesOf(schedule), { dueAt, now, catchUp });
  if (await isFired(tx, id, due.dueAt)) {
    await updateNext(tx, id, due.nextAt);
    return undefined;
  }
  const start: StartResult =
    due.kind === 'missed'
      ? { result: 'skipped', reason: 'missed' }
      : await startOf(tx, pending, schedule);
  await insertFiring(tx, {
    scheduleId: id,
    cause: due.kind === 'missed' ? 'time' : due.cause,
    dueAt: due.dueAt,
    missed: due.missed,
    ...logged(start),
  });
  await updateNext(tx, id, due.nextAt);
  return start.result;
}

export interface ScheduleFirer {
  /** Starts what is due. Milliseconds until the next one; undefined when there is none. */
  fireDue(): Promise<number | undefined>;
  /** Pauses what may not start anything any more. */
  pauseFailing(): Promise<void>;
}

const BATCH = 20;
/** One that cannot be started because of a bug must not hold up the others, nor be tried without end. */
const SKIPPED_FOR_MS = 60_000;

export function createScheduleFirer(deps: {
  db: Db;
  signals: Signals;
  log: Pick<Logger, 'info' | 'error'>;
}): ScheduleFirer {
  const broken = new Map<string, number>();

  async function fireOne(due: { id: string; teamId: string }): Promise<void> {
    const pending = collectSignals();
    try {
      const result = await deps.db.tx((tx) => fire(tx, pending, due));
      pending.sendBy(deps.signals);
      if (result !== undefined) deps.log.info({ scheduleId: due.id, result }, 'a schedule was due');
    } catch (error) {
      if (isUnavailable(error) || isRetryableConflict(error)) throw error;
      deps.log.error({ err: error, scheduleId: due.id }, 'a schedule could not be started');
      broken.set(due.id, performance.now() + SKIPPED_FOR_MS);
    }
  }

  return {
    async fireDue() {
      for (;;) {
        const now = performance.now();
        for (const [id, until] of broken) if (until <= now) broken.delete(id);
        const found = await listDue(deps.db, BATCH + broken.size);
        const due = found.filter(({ id }) => !broken.has(id));
        for (const one of due) await fireOne(one);
        if (due.length < BATCH) break;
      }
      const ms = await findUntilNext(deps.db);
      return ms !== undefined && ms <= 0 && broken.size > 0 ? SKIPPED_FOR_MS : ms;
    },
    pauseFailing: () => pauseFailing(deps),
  };
}
