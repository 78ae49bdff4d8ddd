// The schedules of a team.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { MAX_SCHEDULES, SCHEDULE_ID_PATTERN } from '../../contract/schedule-api.ts';
import type {
  CreateScheduleRequest,
  Schedule,
  ScheduleFiring,
  UpdateScheduleRequest,
} from '../../contract/schedule-api.ts';
import { PAUSE_REASONS, SKIP_REASONS } from '../../contract/start-reasons.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { checkCron, nextTime, nextTimes } from '../../domain/schedule/next-time.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { findLastFirings, insertFiring, listFirings } from '../../store/schedules/firings.ts';
import {
  deleteSchedule,
  findNow,
  findSchedule,
  insertSchedule,
  listSchedules,
  lockSchedule,
  lockScheduleCount,
  updateSchedule,
} from '../../store/schedules/schedules.ts';
import type { ScheduleFields, ScheduleRow } from '../../store/schedules/schedules.ts';
import { findSpent } from '../../store/start-rules/start-facts.ts';
import type { Access } from '../access.ts';
import { logged, startOf, timesOf } from './fire-due.ts';

export interface ScheduleService {
  create(
    actor: Actor,
    request: CreateScheduleRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ schedule: Schedule; replayed: boolean }>;
  list(identity: Identity): Promise<Schedule[]>;
  find(identity: Identity, id: string): Promise<Schedule>;
  update(actor: Actor, id: string, request: UpdateScheduleRequest): Promise<Schedule>;
  remove(actor: Actor, id: string): Promise<{ deleted: true; id: string }>;
  /** Once, now, as the caller. */
  runNow(actor: Actor, id: string): Promise<ScheduleFiring>;
  firings(identity: Identity, id: string, limit: number): Promise<ScheduleFiring[]>;
}

const NEXT_SHOWN = 5;

const missing = () => new ServiceError('NOT_FOUND', 'There is no schedule with this id.');

function checkedCron(cron: string, timeZone: string, now: Date): string {
  const check = checkCron(cron, timeZone, now);
  if (check.kind === 'ok') return check.cron;
  throw invalid(check.field, 'INVALID_SCHEDULE', `${check.field} ${check.reason}`);
}

/** What the audit log keeps: not the work, which may be long. */
function settingsOf(fields: ScheduleFields) {
  const { name, cron, timeZone, everySeconds, status, userId } = fields;
  return { name, cron, timeZone, everySeconds, status, userId, project: fields.work.project };
}

const hashOf = (request: CreateScheduleRequest): Buffer =>
  createHash('sha256').update('POST /v1/schedules\n').update(JSON.stringify(request)).digest();

export function createScheduleService(deps: {
  db: Db;
  access: Access;
  signals: Signals;
}): ScheduleService {
  const { db, access, signals } = deps;

  async function findOwn(identity: Identity, id: string): Promise<ScheduleRow> {
    const row = SCHEDULE_ID_PATTERN.test(id) ? await findSchedule(db, id) : undefined;
    if (row === undefined) throw missing();
    await access.mayRead(identity, row, 'schedule');
    return row;
  }

  async function findToChange(identity: Identity, id: string): Promise<ScheduleRow> {
    const row = await findOwn(identity, id);
    await access.mayWrite(identity, row, 'schedule');
    return row;
  }

  async function shown(rows: readonly ScheduleRow[]): Promise<Schedule[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [spent, last, now] = await Promise.all([
      findSpent(db, 'schedule', ids),
      findLastFirings(db, ids),
      findNow(db),
    ]);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      cron: row.cron,
      timeZone: row.timeZone,
      everySeconds: row.everySeconds,
      catchUp: row.catchUp,
      work: row.work,
      overlap: row.overlap,
      budgetUsdPerMonth: row.budgetUsd,
      spentUsdThisMonth: spent.get(row.id) ?? 0,
      pauseAfterFailures: row.pauseAfterFailures,
      status: row.status,
      pausedReason: row.pausedReason,
      pausedAt: row.pausedAt?.toISOString() ?? null,
      next:
        row.status === 'active'
          ? nextTimes(timesOf(row), now, NEXT_SHOWN).map((at) => at.toISOString())
          : [],
      owner: { userId: row.userId, email: row.email, name: row.userName },
      lastFiring: last.get(row.id) ?? null,
      createdAt: row.createdAt.toISOString(),
    }));
  }

  async function one(id: string): Promise<Schedule> {
    const row = await findSchedule(db, id);
    if (row === undefined) throw missing();
    return (await shown([row]))[0]!;
  }

  /** With the team held first, as everything that starts runs does it. */
  async function changed<T>(
    { id, teamId }: { id: string; teamId: string },
    work: (tx: Queryable, row: ScheduleRow) => Promise<T>,
  ): Promise<T> {
    return db.tx(async (tx) => {
      await lockTeam(tx, teamId);
      const row = await lockSchedule(tx, id);
      if (row === undefined) throw missing();
      return work(tx, row);
    });
  }

  function withNext(fields: ScheduleFields, now: Date): ScheduleFields {
    const nextAt = fields.status === 'active' ? nextTime(timesOf(fields), now) : undefined;
    return { ...fields, nextAt: nextAt ?? null };
  }

  function changedTimes(row: ScheduleFields, request: UpdateScheduleRequest, now: Date) {
    const { cron, everySeconds, timeZone } = request;
    if (everySeconds !== undefined) {
      if (timeZone !== undefined) throw invalid('timeZone', 'custom', 'timeZone is for cron only');
      const same = row.everySeconds === everySeconds;
      const countedFrom = same ? row.countedFrom : now;
      return { cron: null, timeZone: null, everySeconds, countedFrom };
    }
    if (cron === undefined && timeZone === undefined) return {};
    const pattern = cron ?? row.cron;
    if (pattern === null) throw invalid('timeZone', 'custom', 'timeZone is for cron only');
    const zone = timeZone ?? row.timeZone ?? 'UTC';
    return { cron: checkedCron(pattern, zone, now), timeZone: zone, everySeconds: null };
  }

  return {
    async create(actor, request, key) {
      const { teamId, userId } = actor;
      const { cron, everySeconds, budgetUsdPerMonth, status, ...rest } = request;
      const id = newId('sch');
      const now = await findNow(db);
      const timeZone = cron === undefined ? null : (request.timeZone ?? 'UTC');
      const fields = withNext(
        {
          ...rest,
          userId,
          apiKeyId: apiKeyIdOf(actor),
          cron: cron === undefined ? null : checkedCron(cron, timeZone!, now),
          timeZone,
          everySeconds: everySeconds ?? null,
          countedFrom: now,
          budgetUsd: budgetUsdPerMonth,
          status,
          pausedReason: status === 'paused' ? 'user' : null,
          nextAt: null,
        },
        now,
      );
      const first = await db.tx(async (tx) => {
        const count = await lockScheduleCount(tx, teamId);
        if (key !== undefined) {
          const use = { teamId, userId, key, bodyHash: hashOf(request), resourceId: id };
          const before = await takeIdempotencyKey(tx, use);
          if (before !== undefined) return before;
        }
        if (count >= MAX_SCHEDULES) {
          const message = `You have reached the limit of ${MAX_SCHEDULES} schedules. Delete one first.`;
          throw new ServiceError('CONFLICT', message);
        }
        await insertSchedule(tx, { id, teamId }, fields);
        await writeAudit(tx, {
          action: 'schedule.created',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          after: settingsOf(fields),
        });
        return undefined;
      });
      if (first === undefined) {
        signals.emit('schedules');
        return { schedule: await one(id), replayed: false };
      }
      if ((await findSchedule(db, first)) === undefined) {
        const message = 'The schedule created with this Idempotency-Key has been deleted.';
        throw new ServiceError('CONFLICT', message);
      }
      return { schedule: await one(first), replayed: true };
    },

    list: async (identity) => shown(await listSchedules(db, identity.teamId)),

    async find(identity, id) {
      const row = await findOwn(identity, id);
      return (await shown([row]))[0]!;
    },

    async update(actor, id, request) {
      const own = await findToChange(actor, id);
      const now = await findNow(db);
      await changed(own, async (tx, row) => {
        const { name, catchUp, work, overlap, budgetUsdPerMonth, status } = request;
        const { pauseAfterFailures = row.pauseAfterFailures } = request;
        const resumed = status === 'active' && row.status === 'paused';
        const paused = status === 'paused' && row.status === 'active';
        // What runs is run as the person who said so last.
        const owner = resumed || work !== undefined;
        const times = changedTimes(row, request, now);
        const { nextAt, ...before } = row;
        const after: ScheduleFields = {
          ...before,
          ...(owner && { userId: actor.userId, apiKeyId: apiKeyIdOf(actor) }),
          ...times,
          name: name ?? row.name,
          catchUp: catchUp ?? row.catchUp,
          work: work ?? row.work,
          overlap: overlap ?? row.overlap,
          budgetUsd: budgetUsdPerMonth === undefined ? row.budgetUsd : budgetUsdPerMonth,
          pauseAfterFailures,
          status: status ?? row.status,
          pausedReason: resumed ? null : paused ? 'user' : row.pausedReason,
          nextAt,
        };
        const isRetimed = resumed || paused || Object.keys(times).length > 0;
        await updateSchedule(tx, id, isRetimed ? withNext(after, now) : after, resumed);
        await writeAudit(tx, {
          action: paused ? 'schedule.paused' : 'schedule.updated',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          before: settingsOf(row),
          after: settingsOf(after),
        });
      });
      signals.emit('schedules');
      return one(id);
    },

    async remove(actor, id) {
      const own = await findToChange(actor, id);
      await changed(own, async (tx, row) => {
        await deleteSchedule(tx, id);
        await writeAudit(tx, {
          action: 'schedule.deleted',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          before: settingsOf(row),
        });
      });
      return { deleted: true, id };
    },

    async runNow(actor, id) {
      const own = await findToChange(actor, id);
      const pending = collectSignals();
      const firingId = await changed(own, async (tx, row) => {
        const asker = { userId: actor.userId, apiKeyId: apiKeyIdOf(actor) };
        const start = await startOf(tx, pending, row, asker);
        if (start.result !== 'started') {
          const reasons: Record<string, string> = { ...SKIP_REASONS, ...PAUSE_REASONS };
          throw new ServiceError('CONFLICT', `Nothing was started. ${reasons[start.reason]}.`);
        }
        return insertFiring(tx, {
          scheduleId: id,
          cause: 'manual',
          dueAt: null,
          missed: 0,
          ...logged(start),
        });
      });
      pending.sendBy(signals);
      const firings = await listFirings(db, id, 10);
      return firings.find((firing) => firing.id === firingId) ?? firings[0]!;
    },

    async firings(identity, id, limit) {
      await findOwn(identity, id);
      return listFirings(db, id, limit);
    },
  };
}
