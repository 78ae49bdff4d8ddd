// Sign-ins of command lines that are under way. Taking one deletes it, so of two who ask with the same
// code, one gets in; whether a code has run out, the database's clock says.
import type { Queryable } from '../postgres/db.ts';

export interface DeviceCodeRow {
  clientName: string | null;
  address: string;
  createdAt: Date;
  expiresAt: Date;
}

const COLUMNS = `d.client_name as "clientName", d.address, d.created_at as "createdAt",
  d.expires_at as "expiresAt"`;

/** What has run out is kept for a while, so that a late command line learns why it is refused. */
const KEPT = "interval '1 hour'";

/** False when the code that people type is in use. */
export async function insertDeviceCode(
  tx: Queryable,
  code: {
    deviceHash: Buffer;
    userHash: Buffer;
    clientName: string | null;
    address: string;
    lifeSeconds: number;
    intervalSeconds: number;
  },
): Promise<boolean> {
  await tx.query(`delete from device_codes where expires_at <= now() - ${KEPT}`);
  const { rowCount } = await tx.query(
    `insert into device_codes
       (device_hash, user_hash, client_name, address, expires_at, interval_seconds)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)
     on conflict (user_hash) do nothing`,
    [
      code.deviceHash,
      code.userHash,
      code.clientName,
      code.address,
      code.lifeSeconds,
      code.intervalSeconds,
    ],
  );
  return rowCount > 0;
}

/** One that nobody has decided about yet. */
export async function findDeviceCode(
  db: Queryable,
  userHash: Buffer,
): Promise<DeviceCodeRow | undefined> {
  const { rows } = await db.query<DeviceCodeRow>(
    `select ${COLUMNS} from device_codes d
     where d.user_hash = $1 and d.state = 'pending' and d.expires_at > now()`,
    [userHash],
  );
  return rows[0];
}

/** Undefined when it is none, has run out or was decided about. `userId`: null to deny. */
export async function updateDeviceDecision(
  tx: Queryable,
  userHash: Buffer,
  userId: string | null,
): Promise<DeviceCodeRow | undefined> {
  const { rows } = await tx.query<DeviceCodeRow>(
    `update device_codes d set state = $2, user_id = $3
     where d.user_hash = $1 and d.state = 'pending' and d.expires_at > now()
     returning ${COLUMNS}`,
    [userHash, userId === null ? 'denied' : 'approved', userId],
  );
  return rows[0];
}

/** Uses up an approved one. */
export async function takeDeviceCode(
  tx: Queryable,
  deviceHash: Buffer,
): Promise<{ userId: string; clientName: string | null; address: string } | undefined> {
  const { rows } = await tx.query<{ userId: string; clientName: string | null; address: string }>(
    `delete from device_codes d
     where d.device_hash = $1 and d.state = 'approved' and d.expires_at > now()
     returning d.user_id as "userId", d.client_name as "clientName", d.address`,
    [deviceHash],
  );
  return rows[0];
}

/**
 * Notes that a client asked for the token of one that is not approved. A client that asks again too soon has
 * to wait longer each time.
 */
export async function updateDeviceAsked(
  db: Queryable,
  deviceHash: Buffer,
  slower: { bySeconds: number; mostSeconds: number },
): Promise<
  | {
      state: 'pending' | 'approved' | 'denied';
      isExpired: boolean;
      tooSoon: boolean;
      intervalSeconds: number;
    }
  | undefined
> {
  // A little sooner is no offence: the network is faster at times.
  const { rows } = await db.query<{
    state: 'pending' | 'approved' | 'denied';
    isExpired: boolean;
    tooSoon: boolean;
    intervalSeconds: number;
  }>(
    `with before as (
       select device_hash, coalesce(asked_at > now() - make_interval(secs => interval_seconds - 1), false)
         as too_soon
       from device_codes where device_hash = $1 for update)
     update device_codes d set asked_at = now(),
       interval_seconds = case when b.too_soon
         then least(d.interval_seconds + $2, $3) else d.interval_seconds end
     from before b where d.device_hash = b.device_hash
     returning d.state, d.expires_at <= now() as "isExpired", b.too_soon as "tooSoon",
       d.interval_seconds as "intervalSeconds"`,
    [deviceHash, slower.bySeconds, slower.mostSeconds],
  );
  return rows[0];
}
