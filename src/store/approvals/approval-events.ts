// What webhooks hear of approvals. Not what is shown: a chat may be read by people who may not see the project.
import type { ApprovalEventName } from '../../domain/webhook/webhook-events.ts';
import type { Queryable } from '../postgres/db.ts';
import type { PendingSignals } from '../postgres/signals.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import { emitTeamEvent } from '../webhooks/webhook-outbox.ts';
import { failDueApprovals, findApproval } from './approvals.ts';

export async function tellApproval(
  tx: Queryable,
  id: string,
  event: ApprovalEventName,
  signals: PendingSignals,
): Promise<void> {
  const row = (await findApproval(tx, id))!;
  const { teamId, kind, status, title, runId, streamId } = row;
  const data = {
    approvalId: id,
    teamId,
    kind,
    status,
    title,
    runId,
    streamId,
    requestedBy: row.email,
    expiresAt: row.expiresAt.toISOString(),
    path: `/approvals/${id}`,
    ...(row.resolvedAt !== null && {
      resolvedBy: row.resolverEmail,
      resolvedAt: row.resolvedAt.toISOString(),
      expired: status === 'denied' && row.resolvedBy === null,
    }),
  };
  const timestamp = row.resolvedAt ?? row.createdAt;
  const listeners = await emitTeamEvent(tx, { teamId, event, timestamp, data });
  if (listeners > 0) signals.add('webhooks');
  signals.add('approvals', runKeyText({ teamId, runId: id }));
}

/** Denies what nobody answered in time; how many there were. */
export async function expireApprovals(
  tx: Queryable,
  signals: PendingSignals,
  limit: number,
): Promise<number> {
  const due = await failDueApprovals(tx, limit);
  for (const id of due) await tellApproval(tx, id, 'approval.resolved', signals);
  return due.length;
}
