// Idempotency keys of what is created one at a time. (Jobs look theirs up in batches.)
import { ServiceError } from '../../contract/errors.ts';
import type { Queryable } from '../postgres/db.ts';

export interface KeyUse {
  /** A caller is a user in a team. */
  teamId: string;
  userId: string;
  key: string;
  bodyHash: Buffer;
  resourceId: string;
  /** What was answered, where it cannot be read again. No secret: it is kept in the clear. */
  reply?: string;
}

const REUSED = 'This Idempotency-Key was used with a different body. Use a new key.';

/** What was answered to the first request with this key within 24 hours. Refuses another body. */
export async function findReply(
  db: Queryable,
  { teamId, userId, key, bodyHash }: Omit<KeyUse, 'resourceId' | 'reply'>,
): Promise<string | undefined> {
  const { rows } = await db.query<{ body_hash: Buffer; reply: string | null }>(
    `select body_hash, reply from idempotency_keys
     where team_id = $1 and user_id = $2 and key = $3
       and created_at > now() - interval '24 hours'`,
    [teamId, userId, key],
  );
  if (rows[0] === undefined) return undefined;
  if (rows[0].body_hash.equals(bodyHash) && rows[0].reply !== null) return rows[0].reply;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', REUSED);
}

/**
 * Takes the key for this resource, or returns the resource of the request that used it first,
 * within 24 hours. Waits for a transaction that is just using it. Refuses another body.
 */
export async function takeIdempotencyKey(
  tx: Queryable,
  { teamId, userId, key, bodyHash, resourceId, reply }: KeyUse,
): Promise<string | undefined> {
  const taken = await tx.query(
    `insert into idempotency_keys as k (team_id, user_id, key, body_hash, resource_id, reply)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (team_id, user_id, key) do update
       set body_hash = excluded.body_hash, resource_id = excluded.resource_id,
         reply = excluded.reply, created_at = now()
       where k.created_at <= now() - interval '24 hours'
     returning 1`,
    [teamId, userId, key, bodyHash, resourceId, reply ?? null],
  );
  if (taken.rows.length > 0) return undefined;
  const { rows } = await tx.query<{ body_hash: Buffer; resource_id: string }>(
    `select body_hash, resource_id from idempotency_keys
     where team_id = $1 and user_id = $2 and key = $3`,
    [teamId, userId, key],
  );
  if (rows[0]?.body_hash.equals(bodyHash)) return rows[0].resource_id;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', REUSED);
}

/** When the request turned out to be about something that is there already. */
export async function updateKeyResource(
  tx: Queryable,
  { teamId, userId, key }: Pick<KeyUse, 'teamId' | 'userId' | 'key'>,
  resourceId: string,
): Promise<void> {
  await tx.query(
    'update idempotency_keys set resource_id = $4 where team_id = $1 and user_id = $2 and key = $3',
    [teamId, userId, key, resourceId],
  );
}
