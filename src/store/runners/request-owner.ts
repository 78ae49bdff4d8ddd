// Whom the token of a run request acts as: until the request ends, or another runner takes
// it.
import { toOwner } from '../accounts/accounts.ts';
import type { CredentialOwner, OwnerRow } from '../accounts/accounts.ts';
import type { Db } from '../postgres/db.ts';

// A person who has left the team is nobody there.
const FIND_REQUEST_OWNER = {
  name: 'find_request_owner',
  text: `select r.id, u.id as user_id, t.id as team_id, m.role, t.tier, u.requests_per_minute,
           u.suspended_at is not null as suspended,
           t.suspended_at is not null as team_suspended, null::float8 as expires_in_ms
         from run_requests r
         join users u on u.id = r.user_id
         join teams t on t.id = r.team_id
         join team_members m on m.team_id = t.id and m.user_id = u.id
         where r.token_hash = $1 and r.status in ('running', 'queued')`,
};

export async function findRequestOwner(
  db: Db,
  tokenHash: Buffer,
): Promise<CredentialOwner | undefined> {
  const { rows } = await db.read<OwnerRow & { id: string }>(FIND_REQUEST_OWNER, [tokenHash]);
  const row = rows[0];
  return row && toOwner(row, { kind: 'request', id: row.id }, false);
}
