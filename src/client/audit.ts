// The audit log of a team.
import type { AuditPage } from '../contract/audit-api.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface AuditFilter {
  limit?: number | undefined;
  /** `nextCursor` of the page before. */
  before?: string | undefined;
  /** One action, or a group of them, as in `member.*`. */
  action?: string | undefined;
  userId?: string | undefined;
  target?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export interface AuditApi {
  list(filter?: AuditFilter, options?: CallOptions): Promise<AuditPage>;
}

export function auditApi({ get }: Calls): AuditApi {
  return { list: (filter, options) => get('/v1/audit', options, filter) };
}
