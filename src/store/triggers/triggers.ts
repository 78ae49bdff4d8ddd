// Triggers as their owners see and change them, and their secrets.
import type { Overlap, PauseReason } from '../../contract/start-reasons.ts';
import type { TriggerFilters, TriggerKind, TriggerWork } from '../../contract/trigger-api.ts';
import type { TriggerEventName } from '../../contract/trigger-events.ts';
import type { Queryable } from '../postgres/db.ts';
import { createStarterRows } from '../start-rules/starter-rows.ts';

export interface TriggerRow {
  id: string;
  teamId: string;
  userId: string;
  email: string;
  userName: string | null;
  apiKeyId: string | null;
  name: string;
  kind: TriggerKind;
  repository: string | null;
  events: TriggerEventName[];
  filters: TriggerFilters;
  work: TriggerWork;
  overlap: Overlap;
  budgetUsd: number | null;
  pauseAfterFailures: number | null;
  status: 'active' | 'paused';
  pausedReason: PauseReason | null;
  pausedAt: Date | null;
  activeSince: Date;
  refused: number;
  refusedAt: Date | null;
  createdAt: Date;
}

interface StoredRow extends Omit<TriggerRow, 'work' | 'filters'> {
  work: string;
  filters: string;
}

const SELECT = `select s.id, s.team_id as "teamId", s.user_id as "userId", u.email, u.name as "userName",
    s.api_key_id as "apiKeyId", s.name, s.kind, s.repository, s.events, s.filters, s.work, s.overlap,
    s.budget_usd as "budgetUsd", s.pause_after_failures as "pauseAfterFailures", s.status,
    s.paused_reason as "pausedReason", s.paused_at as "pausedAt", s.active_since as "activeSince",
    s.refused, s.refused_at as "refusedAt", s.created_at as "createdAt"
  from triggers s join users u on u.id = s.user_id join teams t on t.id = s.team_id`;

const read = ({ work, filters, ...row }: StoredRow): TriggerRow => ({
  ...row,
  work: JSON.parse(work) as TriggerWork,
  filters: JSON.parse(filters) as TriggerFilters,
});

/** What a person sets. */
export type TriggerFields = Pick<
  TriggerRow,
  | 'userId'
  | 'apiKeyId'
  | 'name'
  | 'kind'
  | 'repository'
  | 'events'
  | 'filters'
  | 'work'
  | 'overlap'
  | 'budgetUsd'
  | 'pauseAfterFailures'
  | 'status'
  | 'pausedReason'
>;

const COLUMNS: Record<keyof TriggerFields, string> = {
  userId: 'user_id',
  apiKeyId: 'api_key_id',
  name: 'name',
  kind: 'kind',
  repository: 'repository',
  events: 'events',
  filters: 'filters',
  work: 'work',
  overlap: 'overlap',
  budgetUsd: 'budget_usd',
  pauseAfterFailures: 'pause_after_failures',
  status: 'status',
  pausedReason: 'paused_reason',
};

export const {
  insert: insertTrigger,
  update: updateTrigger,
  lockCount: lockTriggerCount,
} = createStarterRows<TriggerFields>('trigger', COLUMNS, ['filters', 'work']);

/** Newest first. */
export async function listTriggers(db: Queryable, teamId: string): Promise<TriggerRow[]> {
  const { rows } = await db.query<StoredRow>(`${SELECT} where s.team_id = $1 order by s.id desc`, [
    teamId,
  ]);
  return rows.map(read);
}

/** None of a team that is deleted. */
export async function findTrigger(db: Queryable, id: string): Promise<TriggerRow | undefined> {
  const text = `${SELECT} where s.id = $1 and t.deleted_at is null`;
  const { rows } = await db.query<StoredRow>(text, [id]);
  return rows[0] && read(rows[0]);
}

/** Until the transaction ends nobody else changes it. The caller holds the team. */
export async function lockTrigger(tx: Queryable, id: string): Promise<TriggerRow | undefined> {
  const { rows } = await tx.query<StoredRow>(`${SELECT} where s.id = $1 for update of s`, [id]);
  return rows[0] && read(rows[0]);
}

export async function deleteTrigger(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from triggers where id = $1', [id]);
}

export async function countRefused(db: Queryable, id: string): Promise<void> {
  await db.query(
    'update triggers set refused = least(refused + 1, 2000000000), refused_at = now() where id = $1',
    [id],
  );
}

export interface TriggerSecret {
  tokenHash: Buffer | null;
  sealedSecret: string | null;
}

/** The present one, and those of before that are still good. */
export async function listTriggerSecrets(db: Queryable, id: string): Promise<TriggerSecret[]> {
  const { rows } = await db.query<TriggerSecret>(
    `select token_hash as "tokenHash", sealed_secret as "sealedSecret" from trigger_secrets
     where trigger_id = $1 and (until is null or until > now()) order by until desc nulls first`,
    [id],
  );
  return rows;
}

export async function insertTriggerSecret(
  tx: Queryable,
  { id, triggerId, ...secret }: TriggerSecret & { id: string; triggerId: string },
): Promise<void> {
  await tx.query(
    `insert into trigger_secrets (id, trigger_id, token_hash, sealed_secret) values ($1, $2, $3, $4)`,
    [id, triggerId, secret.tokenHash, secret.sealedSecret],
  );
}

/** Those of before end then, or earlier where they already do. How many there are, and the time. */
export async function endTriggerSecrets(
  tx: Queryable,
  triggerId: string,
  hours: number,
): Promise<{ count: number; until: Date }> {
  await tx.query('delete from trigger_secrets where trigger_id = $1 and until <= now()', [
    triggerId,
  ]);
  const { rows } = await tx.query<{ until: Date }>(
    `update trigger_secrets set until = least(coalesce(until, 'infinity'), now() + make_interval(secs => $2))
     where trigger_id = $1 returning now() + make_interval(secs => $2) as until`,
    [triggerId, hours * 3600],
  );
  return { count: rows.length, until: rows[0]?.until ?? new Date() };
}
