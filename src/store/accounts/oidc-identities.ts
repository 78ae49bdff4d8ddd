// Who accounts are at a provider of single sign-on.
import type { Queryable } from '../postgres/db.ts';

export interface OidcIdentity {
  issuer: string;
  subject: string;
}

/** The account of an identity; notes that it was used. */
export async function claimOidcIdentity(
  tx: Queryable,
  { issuer, subject }: OidcIdentity,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ user_id: string }>(
    `update oidc_identities set last_used_at = now() where issuer = $1 and subject = $2
     returning user_id`,
    [issuer, subject],
  );
  return rows[0]?.user_id;
}

/** False when another request was faster. */
export async function insertOidcIdentity(
  tx: Queryable,
  { issuer, subject }: OidcIdentity,
  userId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into oidc_identities (issuer, subject, user_id) values ($1, $2, $3)
     on conflict do nothing`,
    [issuer, subject, userId],
  );
  return rowCount > 0;
}

/** All of a user; returns how many there were. */
export async function deleteOidcIdentities(tx: Queryable, userId: string): Promise<number> {
  const { rowCount } = await tx.query('delete from oidc_identities where user_id = $1', [userId]);
  return rowCount;
}
