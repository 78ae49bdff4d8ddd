// The audit log: written in the transaction of the change that it tells of, so that neither is there
// without the other.
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { AuditActor } from '../../domain/access/actor.ts';
import { newId } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

/** What was, or is; never a secret. */
export type AuditDetails = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  action: AuditAction;
  actor: AuditActor;
  /** The team it is about; null for what is about an account or the server. */
  teamId: string | null;
  /** The id of what was changed. */
  target: string | null;
  before?: AuditDetails;
  after?: AuditDetails;
}

export async function writeAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { action, actor, teamId, target, before, after } = entry;
  const text = (details: AuditDetails | undefined) => (details ? JSON.stringify(details) : null);
  await tx.query(
    `insert into audit_events
       (id, team_id, user_id, credential, credential_id, address, action, target, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId('aud'),
      teamId,
      actor.userId,
      actor.credential,
      actor.credentialId,
      actor.address,
      action,
      target,
      text(before),
      text(after),
    ],
  );
}
