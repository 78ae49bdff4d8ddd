// Which deliveries are made now, on which node, and what came of them. A webhook has at most four
// under way on all nodes together, and one that only fails has one: a dead address takes neither
// the places of others nor their time. A claimed delivery is due again when its lease runs out, so
// one whose node died needs nobody to notice.
import type { WebhookFormat } from '../../contract/webhook-api.ts';
import type { Db } from '../postgres/db.ts';
import { rowset } from '../postgres/rowset.ts';

export const MAX_PER_WEBHOOK = 4;
const MAX_WHEN_FAILING = 1;
/** Longer than a try may take, with room for writing down what came of it. */
export const LEASE_MS = 25_000;
/** Webhooks that one claim looks at: the next claim continues behind them. */
const MAX_LANES = 256;

export interface ClaimedDelivery {
  id: string;
  claim: number;
  tries: number;
  webhookId: string;
  url: string;
  format: WebhookFormat;
  sealedSecret: string;
  /** Those before it that still sign, newest first. */
  oldSealedSecrets: string[];
  failing: boolean;
  eventId: string;
  event: string;
  /** Of the execution that it is about. */
  trace: string | null;
  body: string;
}

const UNDER_WAY = `(select count(*) from webhook_deliveries l
  where l.webhook_id = w.id and l.leased and l.due_at > now())`;
const ALLOWED = `case when w.failing_since is null then ${MAX_PER_WEBHOOK} else ${MAX_WHEN_FAILING} end`;

// Steps from webhook to webhook through the index instead of reading what waits: a webhook with a
// hundred thousand waiting deliveries costs no more than one with a single one.
const FIND_LANES = {
  name: 'webhook_find_lanes',
  text: `with recursive lane as (
      (select webhook_id, 1 as nth from webhook_deliveries
       where status = 'pending' and webhook_id > $1 order by webhook_id limit 1)
      union all
      select (select d.webhook_id from webhook_deliveries d
              where d.status = 'pending' and d.webhook_id > lane.webhook_id
              order by d.webhook_id limit 1), nth + 1
      from lane where lane.webhook_id is not null and nth < ${MAX_LANES}
    )
    select lane.webhook_id as id, coalesce(w.status = 'active'
      and exists (select 1 from webhook_deliveries d
                  where d.webhook_id = w.id and d.status = 'pending' and d.due_at <= now())
      and ${UNDER_WAY} < ${ALLOWED}, false) as ready
    from lane left join webhooks w on w.id = lane.webhook_id
    where lane.webhook_id is not null`,
};

// A node that claims for a webhook holds its row, so that two nodes cannot both find the same places.
// What is held is left to its holder.
const LOCK_LANES = {
  name: 'webhook_lock_lanes',
  text: `select id from webhooks where id = any($1) and status = 'active'
         order by id for no key update skip locked`,
};

// A statement of its own on purpose: only one that begins after the lock was taken sees what the
// previous holder of the lock has claimed.
const CLAIM = {
  name: 'webhook_claim',
  text: `with lane as materialized (
      select w.id, ${ALLOWED} - ${UNDER_WAY} as free from webhooks w where w.id = any($1)
    ),
    picked as (
      select d.id from lane cross join lateral (
        select p.id from webhook_deliveries p
        where p.webhook_id = lane.id and p.status = 'pending' and p.due_at <= now()
        order by p.due_at, p.id limit greatest(lane.free, 0) for update skip locked) d
      limit $2
    ),
    claimed as (
      update webhook_deliveries d
      set leased = true, claim = d.claim + 1, due_at = now() + $3 * interval '1 millisecond'
      from picked where d.id = picked.id
      returning d.id, d.claim, d.tries, d.webhook_id, d.event_id
    )
    select c.id, c.claim, c.tries, c.webhook_id as "webhookId", w.url, w.format,
      w.sealed_secret as "sealedSecret",
      array(select o.sealed_secret from webhook_old_secrets o
            where o.webhook_id = w.id and o.until > now() order by o.until desc)
        as "oldSealedSecrets",
      w.failing_since is not null as failing, e.id as "eventId", e.event, x.trace, e.body
    from claimed c join webhooks w on w.id = c.webhook_id join webhook_events e on e.id = c.event_id
    left join executions x on x.id = e.execution_id`,
};

export interface Claim {
  deliveries: ClaimedDelivery[];
  /** Where the next claim should go on; empty for the beginning. */
  cursor: string;
  /** Whether there are webhooks behind the cursor that have not been looked at. */
  more: boolean;
}

const FIND_DUE = {
  name: 'webhook_find_due',
  text: `select now()::text as at,
      exists (select 1 from webhook_deliveries
              where status = 'pending' and due_at <= now()) as any,
      exists (select 1 from webhook_deliveries
              where status = 'pending' and due_at <= now() and due_at > $1::timestamptz) as newly`,
};

export interface DueState {
  /** By the database's clock. */
  at: string;
  /** Something is due, perhaps of a webhook that is paused or busy. */
  any: boolean;
  newly: boolean;
}

/** Whether anything has become due since a time: costs the same however much is waiting. */
export async function findDue(db: Db, since: string): Promise<DueState> {
  const { rows } = await db.query<DueState>(FIND_DUE, [since]);
  return rows[0]!;
}

const last = (ids: readonly string[]) => ids.reduce((a, b) => (a > b ? a : b), '');

export async function claimDeliveries(db: Db, cursor: string, limit: number): Promise<Claim> {
  const lanes = await db.query<{ id: string; ready: boolean }>(FIND_LANES, [cursor]);
  const ready = lanes.rows.filter((lane) => lane.ready).map(({ id }) => id);
  const isLastPart = lanes.rows.length < MAX_LANES;
  const next = isLastPart ? '' : last(lanes.rows.map(({ id }) => id));
  const deliveries = ready.length === 0 ? [] : await claimIn(db, ready, limit);
  // Cut off by the limit: those left out come first in the next round.
  const isFull = deliveries.length >= limit;
  return {
    deliveries,
    cursor: isFull ? last(deliveries.map(({ webhookId }) => webhookId)) : next,
    more: isFull || !isLastPart,
  };
}

async function claimIn(db: Db, lanes: string[], limit: number): Promise<ClaimedDelivery[]> {
  return db.tx(async (tx) => {
    const locked = await tx.query<{ id: string }>(LOCK_LANES, [lanes]);
    if (locked.rows.length === 0) return [];
    const ids = locked.rows.map(({ id }) => id);
    return (await tx.query<ClaimedDelivery>(CLAIM, [ids, limit, LEASE_MS])).rows;
  });
}

export interface DeliveryResult {
  id: string;
  claim: number;
  at: Date;
  status: number | undefined;
  durationMs: number;
  responseBody: string | undefined;
  error: string | undefined;
  ending: { kind: 'delivered' } | { kind: 'failed' } | { kind: 'retry'; inMs: number };
}

const RESULTS = rowset<DeliveryResult>('v', {
  id: ['text', (result) => result.id],
  claim: ['int', (result) => result.claim],
  at: ['timestamptz', (result) => result.at.toISOString()],
  status: ['smallint', (result) => result.status],
  duration_ms: ['int', (result) => result.durationMs],
  response_body: ['text', (result) => result.responseBody],
  error: ['text', (result) => result.error],
  ending: ['text', (result) => result.ending.kind],
  retry_ms: ['float8', ({ ending }) => (ending.kind === 'retry' ? ending.inMs : undefined)],
});

// A node that lost its lease may still tell of a success, because the receiver has the event; its
// failures change nothing, because another try is under way. Locked in the order of ids, as
// everywhere where several deliveries are changed.
const RECORD = {
  name: 'webhook_record',
  text: `with v as materialized (select * from ${RESULTS.sql}),
    held as materialized (
      select d.id, v.claim, v.ending, v.retry_ms, d.claim = v.claim as mine
      from webhook_deliveries d join v on v.id = d.id order by d.id for update of d
    ),
    attempts as (
      insert into webhook_attempts (delivery_id, claim, at, status, duration_ms, response_body, error)
      select v.id, v.claim, v.at, v.status, v.duration_ms, v.response_body, v.error
      from v join held on held.id = v.id
      on conflict (delivery_id, claim) do nothing
    )
    update webhook_deliveries d set
      leased = case when held.mine then false else d.leased end,
      status = case
        when held.ending = 'delivered' then 'delivered'
        when d.status <> 'pending' then d.status
        when held.ending = 'failed' then 'failed'
        else 'pending' end,
      tries = case when held.ending = 'delivered' then d.tries else d.tries + 1 end,
      due_at = case when held.ending = 'retry'
        then now() + held.retry_ms * interval '1 millisecond' else d.due_at end,
      ended_at = case when held.ending = 'retry' then d.ended_at else now() end
    from held where d.id = held.id and d.status <> 'delivered'
      and (held.mine or held.ending = 'delivered')`,
};

export async function recordResults(db: Db, results: readonly DeliveryResult[]): Promise<void> {
  await db.query(RECORD, RESULTS.values(results));
}

/** Gives deliveries back that were not tried to the end. */
export async function releaseDeliveries(
  db: Db,
  claims: readonly { id: string; claim: number }[],
): Promise<void> {
  if (claims.length === 0) return;
  await db.query(
    `update webhook_deliveries d set leased = false, due_at = now()
     from unnest($1::text[], $2::int[]) v(id, claim)
     where d.id = v.id and d.claim = v.claim and d.leased`,
    [claims.map(({ id }) => id), claims.map(({ claim }) => claim)],
  );
}
