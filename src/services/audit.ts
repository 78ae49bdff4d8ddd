// The audit log: of a team for those who manage it, of the whole server for its administrators.
import type { AuditEvent, AuditPage, AuditQuery } from '../contract/audit-api.ts';
import type { Identity } from '../domain/access/identity.ts';
import { listAudit } from '../store/audit/audit-log.ts';
import type { AuditRow } from '../store/audit/audit-log.ts';
import type { Db } from '../store/postgres/db.ts';
import { pageOf } from './page.ts';
import { checkServerAdmin } from './accounts/server-admin.ts';

export interface AuditService {
  /** Of the team that the request acts in. */
  list(identity: Identity, query: AuditQuery): Promise<AuditPage>;
  listAll(identity: Identity, query: AuditQuery): Promise<AuditPage>;
}

function shown(row: AuditRow): AuditEvent {
  const { id, at, action, teamId, target, before, after, ...actor } = row;
  return { id, at: at.toISOString(), action, teamId, actor, target, before, after };
}

export function createAuditService({ db }: { db: Db }): AuditService {
  async function page(teamId: string | null, query: AuditQuery): Promise<AuditPage> {
    const { limit } = query;
    const rows = await listAudit(db, teamId, { ...query, limit: limit + 1 });
    return { ...pageOf(rows, limit, shown), limit };
  }

  return {
    list: ({ teamId }, query) => page(teamId, query),
    async listAll(identity, query) {
      await checkServerAdmin(db, identity);
      return page(null, query);
    },
  };
}
