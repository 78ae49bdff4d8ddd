// Credentials of streams. A token lives on a lease that its command renews; a newer fence ends those of older ones.
import type { Db, Queryable } from '../postgres/db.ts';

export const LEASE_SECONDS = 60;

export interface NewStreamToken {
  id: string;
  tokenHash: Buffer;
  teamId: string;
  userId: string;
  apiKeyId: string | null;
  runId: string;
  streamId: string;
  attempt: number;
  fence: number;
  models: readonly string[];
}

/** The caller holds the team's queue. Undefined: the run has been taken over since. */
export async function insertStreamToken(
  tx: Queryable,
  token: NewStreamToken,
): Promise<Date | undefined> {
  const newer = await tx.query(
    `select 1 from stream_tokens where run_id = $1 and team_id = $2
       and (fence > $3 or (fence = $3 and stream_id = $4 and attempt > $5)) limit 1`,
    [token.runId, token.teamId, token.fence, token.streamId, token.attempt],
  );
  if (newer.rowCount > 0) return undefined;
  await tx.query(
    `update stream_tokens set ended_at = now() where run_id = $1 and team_id = $2 and ended_at is null
       and (fence < $3 or stream_id = $4)`,
    [token.runId, token.teamId, token.fence, token.streamId],
  );
  const { rows } = await tx.query<{ expiresAt: Date }>(
    `insert into stream_tokens (id, token_hash, team_id, user_id, api_key_id, run_id, stream_id, attempt, fence, models,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + interval '${LEASE_SECONDS} seconds')
     returning expires_at as "expiresAt"`,
    [
      token.id,
      token.tokenHash,
      token.teamId,
      token.userId,
      token.apiKeyId,
      token.runId,
      token.streamId,
      token.attempt,
      token.fence,
      token.models,
    ],
  );
  return rows[0]!.expiresAt;
}

export interface TokenState {
  id: string;
  teamId: string;
  userId: string;
  isAlive: boolean;
}

export async function findTokenState(db: Queryable, id: string): Promise<TokenState | undefined> {
  const { rows } = await db.query<TokenState>(
    `select id, team_id as "teamId", user_id as "userId", ended_at is null and expires_at > now() as "isAlive"
     from stream_tokens where id = $1`,
    [id],
  );
  return rows[0];
}

/** Undefined when it has ended or its lease is over. */
export async function renewStreamToken(db: Queryable, id: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ expiresAt: Date }>(
    `update stream_tokens set expires_at = now() + interval '${LEASE_SECONDS} seconds'
     where id = $1 and ended_at is null and expires_at > now() returning expires_at as "expiresAt"`,
    [id],
  );
  return rows[0]?.expiresAt;
}

export async function endStreamToken(db: Queryable, id: string): Promise<void> {
  await db.query('update stream_tokens set ended_at = now() where id = $1 and ended_at is null', [
    id,
  ]);
}

export interface TokenUsage {
  calls: number;
  openCalls: number;
  input: number;
  output: number;
  cachedInput: number;
  /** Null when the price of a call is not known. */
  costUsd: number | null;
}

/** A stream has one token at a time: its calls are those since the token was made. */
export async function findTokenUsage(db: Queryable, id: string): Promise<TokenUsage> {
  const { rows } = await db.query<TokenUsage>(
    `select count(*)::int as calls, count(*) filter (where j.status = 'running')::int as "openCalls",
       coalesce(sum(j.tokens_input), 0)::int as input, coalesce(sum(j.tokens_output), 0)::int as output,
       coalesce(sum(j.tokens_cached), 0)::int as "cachedInput",
       case when coalesce(sum(j.unpriced_calls), 0) = 0 then coalesce(sum(j.cost_usd), 0) end as "costUsd"
     from stream_tokens s join jobs j on j.run_id = s.run_id and j.team_id = s.team_id
       and j.stream_id = s.stream_id and j.kind = 'call' and j.queued_at >= s.created_at
     where s.id = $1`,
    [id],
  );
  return rows[0]!;
}

export interface TokenOwner {
  id: string;
  teamId: string;
  userId: string;
  apiKeyId: string | null;
  runId: string;
  streamId: string;
  models: string[];
  tier: string;
  role: string;
  isAlive: boolean;
}

// Its maker must still be allowed to: an account, a membership or a key that is gone takes its tokens along.
const FIND_OWNER = {
  name: 'find_stream_token_owner',
  text: `select s.id, s.team_id as "teamId", s.user_id as "userId", s.api_key_id as "apiKeyId", s.run_id as "runId",
      s.stream_id as "streamId", s.models, t.tier, m.role,
      s.ended_at is null and s.expires_at > now() and t.deleted_at is null and t.suspended_at is null
        and u.deleted_at is null and u.suspended_at is null
        and (s.api_key_id is null or exists (
          select 1 from api_keys k where k.id = s.api_key_id and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now()))) as "isAlive"
    from stream_tokens s
    join teams t on t.id = s.team_id join users u on u.id = s.user_id
    join team_members m on m.team_id = s.team_id and m.user_id = s.user_id
    where s.token_hash = $1`,
};

export async function findTokenOwner(db: Db, tokenHash: Buffer): Promise<TokenOwner | undefined> {
  const { rows } = await db.read<TokenOwner>(FIND_OWNER, [tokenHash]);
  return rows[0];
}

export async function deleteOldStreamTokens(db: Queryable): Promise<void> {
  await db.query(
    `delete from stream_tokens where ctid in (
       select ctid from stream_tokens where expires_at < now() - interval '1 day' limit 10000)`,
  );
}
