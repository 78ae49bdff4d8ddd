// Idempotency keys of what is created one at a time. (Jobs look theirs up in batches.)
import { ServiceError } from '../contract/errors.ts';
import type { Queryable } from './db.ts';

export interface KeyUse {
  userId: string;
  key: string;
  bodyHash: Buffer;
  resourceId: string;
}

/**
 * Takes the key for this resource, or returns the resource of the request that used it first,
 * within 24 hours. Waits for a transaction that is just using it. Refuses another body.
 */
export async function takeIdempotencyKey(
  tx: Queryable,
  { userId, key, bodyHash, resourceId }: KeyUse,
): Promise<string | undefined> {
  const taken = await tx.query(
    `insert into idempotency_keys as k (user_id, key, body_hash, resource_id)
     values ($1, $2, $3, $4)
     on conflict (user_id, key) do update
       set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
       where k.created_at <= now() - interval '24 hours'
     returning 1`,
    [userId, key, bodyHash, resourceId],
  );
  if (taken.rows.length > 0) return undefined;
  const { rows } = await tx.query<{ body_hash: Buffer; resource_id: string }>(
    'select body_hash, resource_id from idempotency_keys where user_id = $1 and key = $2',
    [userId, key],
  );
  if (rows[0]?.body_hash.equals(bodyHash)) return rows[0].resource_id;
  throw new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used with a different body. Use a new key.',
  );
}
