// Starts a run for a schedule or a trigger, if its rules allow it. In the caller's transaction, which holds the team and
// the schedule or trigger: what is decided from their runs cannot change meanwhile.
import { ServiceError } from '../../contract/errors.ts';
import type { RequestWriter, RunRequestWork } from '../../contract/run-request-api.ts';
import type { PauseReason, SkipReason } from '../../contract/start-reasons.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import { decideStart, withinBudget } from '../../domain/start-rules/decide-start.ts';
import type { StartRules } from '../../domain/start-rules/decide-start.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { PendingSignals, Signals } from '../../store/postgres/signals.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { STARTER_TABLES, listToPause, pauseStarter } from '../../store/start-rules/pauses.ts';
import { findStartFacts } from '../../store/start-rules/start-facts.ts';
import type { Starter, StarterKind } from '../../store/start-rules/start-facts.ts';
import { emitTeamEvent } from '../../store/webhooks/webhook-outbox.ts';
import { addRunRequest, cancelRunRequests } from '../runners/add-request.ts';

export type StartResult =
  | { result: 'started'; requestId: string; cancelled: number }
  | { result: 'skipped'; reason: SkipReason }
  | { result: 'paused'; reason: PauseReason };

export interface WorkToStart extends Starter {
  apiKeyId: string | null;
  rules: StartRules;
  work: RunRequestWork;
  writer?: RequestWriter;
  /** The person who asks for it now, in place of the owner. Its rules about owners and failures do not apply. */
  asker?: { userId: string; apiKeyId: string | null };
}

export async function startWork(
  tx: Queryable,
  pending: PendingSignals,
  starter: WorkToStart,
): Promise<StartResult> {
  const { kind, id, teamId, asker, writer } = starter;
  const facts = await findStartFacts(tx, starter);
  const rules = asker ? { ...starter.rules, pauseAfterFailures: null } : starter.rules;
  const owner = asker ? ({ role: 'member', suspended: false } as const) : facts.owner;
  const decision = decideStart(rules, { ...facts, owner });
  if (decision.kind === 'skip') return { result: 'skipped', reason: decision.reason };
  if (decision.kind === 'pause') {
    await pause(tx, pending, kind, { id, reason: decision.reason });
    return { result: 'paused', reason: decision.reason };
  }
  const requestId = await addOrRefuse(tx, pending, {
    teamId,
    userId: asker?.userId ?? starter.userId,
    apiKeyId: asker ? asker.apiKeyId : starter.apiKeyId,
    work: withinBudget(starter.work, decision.maxCostUsd),
    origin: { kind, id },
    ...(writer && { writer }),
  });
  if (requestId === undefined) return { result: 'skipped', reason: 'refused' };
  const why = `Cancelled because a newer run of the same ${kind} started.`;
  const cancelled =
    decision.cancel.length === 0
      ? []
      : await cancelRunRequests(tx, pending, { teamId, ids: decision.cancel, why });
  return { result: 'started', requestId, cancelled: cancelled.length };
}

/** Undefined where it cannot be asked for, for example because no runner has the project. */
async function addOrRefuse(...args: Parameters<typeof addRunRequest>): Promise<string | undefined> {
  try {
    return await addRunRequest(...args);
  } catch (error) {
    // Nothing was written before it refused.
    if (error instanceof ServiceError && error.status < 500) return undefined;
    throw error;
  }
}

/** With a notice to those who want to know. */
async function pause(
  tx: Queryable,
  pending: PendingSignals,
  kind: StarterKind,
  { id, reason, activeSince }: { id: string; reason: PauseReason; activeSince?: string },
): Promise<void> {
  const paused = await pauseStarter(tx, kind, {
    id,
    reason,
    ...(activeSince !== undefined && { activeSince }),
  });
  if (paused === undefined) return;
  const { name, teamId } = paused;
  await writeAudit(tx, {
    action: `${kind}.paused`,
    actor: SYSTEM,
    teamId,
    target: id,
    after: { name, reason },
  });
  const event = `${kind}.paused` as const;
  const data = { [`${kind}Id`]: id, teamId, name, reason, path: `/${STARTER_TABLES[kind]}/${id}` };
  if ((await emitTeamEvent(tx, { teamId, event, timestamp: new Date(), data })) > 0) {
    pending.add('webhooks');
  }
}

const MOST_AT_ONCE = 100;

/** Those whose owner may not have runs made any more, or whose runs fail: before they are due again. */
export async function pauseFailing(deps: { db: Db; signals: Signals }): Promise<void> {
  for (const kind of Object.keys(STARTER_TABLES) as StarterKind[]) {
    for (const { teamId, ...found } of await listToPause(deps.db, kind, MOST_AT_ONCE)) {
      const pending = collectSignals();
      await deps.db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        await pause(tx, pending, kind, found);
      });
      pending.sendBy(deps.signals);
    }
  }
}
