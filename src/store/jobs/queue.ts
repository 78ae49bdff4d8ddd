// The queue: pg-boss on the same database. A message carries nothing but its virtual time; its id
// is the UUID inside the job's id, so a job needs no column for it. A message is deleted when its
// job ends: the job row is the record, and a queue table that stays small stays fast.
import { PgBoss } from 'pg-boss';
import type { Exchange } from '../../domain/job/fair-queue.ts';
import { idFromUuid, uuidOf } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';
import type { DatabaseProduct } from '../postgres/modes.ts';
import { USUAL_SILENCE_MS } from '../postgres/time-limits.ts';
import { createBossDbs, insideTransaction } from './boss-db.ts';
import type { BossDb } from './boss-db.ts';

const QUEUE = 'jobs';

/**
 * Without a sign of life for this long pg-boss hands a message out again: the net below ours. The sign of a node that
 * may be silent for longer than usual counts for as much longer.
 */
const HEARTBEAT_SECONDS = 15;

export interface QueueMessage {
  jobId: string;
  /** Smaller is earlier. */
  virtualTime: number;
}

export interface Queue {
  /** With a delay the messages can be fetched only later. */
  send(tx: Queryable, messages: readonly QueueMessage[], delayMs?: number): Promise<void>;
  fetch(tx: Queryable, limit: number): Promise<QueueMessage[]>;
  /** Takes the messages of these jobs, as far as they can be fetched now. */
  take(tx: Queryable, jobIds: readonly string[]): Promise<QueueMessage[]>;
  /** Lets waiting messages take the places of taken ones; returns the exchanges that were made. */
  exchange(tx: Queryable, exchanges: readonly Exchange[]): Promise<Exchange[]>;
  /** Ends messages whatever state they are in. */
  remove(tx: Queryable, jobIds: readonly string[]): Promise<void>;
  /** Makes taken messages available again at once. */
  handBack(tx: Queryable, jobIds: readonly string[]): Promise<void>;
  /** Tells that these messages are still being worked on. */
  touch(jobIds: readonly string[]): Promise<void>;
  /** Takes `offset` off the virtual time of every waiting message. */
  shiftVirtualTimes(tx: Queryable, offset: number): Promise<void>;
  close(): Promise<void>;
}

const SCHEMA = 'pgboss';
const MESSAGES = `${SCHEMA}.job`;

// Ours instead of the library's: they lock in the order of ids, so that two of them cannot wait for
// each other, and they change rows in place, so that an end which waits for a message that is being
// handed back still finds it.
const IN_ORDER = `select id from ${MESSAGES} where name = '${QUEUE}' and id = any($1::uuid[])`;
/**
 * What the library's own insert writes, as a part of a larger statement: messages from the rows of `from`,
 * which have message_id, virtual_time, taken, node_id and delay_seconds. Taken ones cannot be fetched.
 */
export function sendFrom(from: string): string {
  return `insert into ${MESSAGES} (id, name, data, priority, start_after, keep_until, expire_seconds,
      deletion_seconds, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter,
      heartbeat_seconds, state, started_on, heartbeat_on)
    select m.message_id, q.name, jsonb_build_object('v', m.virtual_time), -m.virtual_time, d.start_after,
      d.start_after + q.retention_seconds * interval '1 second', q.expire_seconds, q.deletion_seconds,
      q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.policy, q.dead_letter,
      q.heartbeat_seconds,
      (case when m.taken then 'active' else 'created' end)::${SCHEMA}.job_state,
      case when m.taken then now() end,
      case when m.taken then now() + coalesce(
        (select n.silent_ms - ${USUAL_SILENCE_MS} from nodes n where n.id = m.node_id), 0) * interval '1 ms' end
    from ${from} m
    cross join lateral (select now() + m.delay_seconds * interval '1 second' as start_after) d
    join ${SCHEMA}.queue q on q.name = '${QUEUE}'
    on conflict do nothing`;
}

/**
 * Ends the messages of the rows of `from`, which have message_id and whose jobs are locked. In the order of ids,
 * because messages that could not be claimed are handed back without a lock on their jobs.
 */
export function removeFrom(from: string): string {
  return `delete from ${MESSAGES} m using (
      select o.id from ${MESSAGES} o join ${from} r on o.id = r.message_id
      where o.name = '${QUEUE}' order by o.id for update of o) r
    where m.name = '${QUEUE}' and m.id = r.id`;
}

/** What of a message outlasts a backup; whether it was taken does not. */
export const WAITING_MESSAGES = `select id as message_id, (data->>'v')::int as virtual_time, start_after
  from ${MESSAGES} where name = '${QUEUE}' and state <= 'active' order by id`;
export const DELETE_MESSAGES = `delete from ${MESSAGES} where name = '${QUEUE}'`;
export const MESSAGES_TABLE = MESSAGES;

export function delaySeconds(delayMs: number): number {
  return Math.ceil(delayMs / 1000);
}

const SEND = {
  name: 'queue_send',
  text: sendFrom(`(select v.message_id, v.virtual_time, false as taken, null as node_id, $3::int as delay_seconds
    from unnest($1::uuid[], $2::int[]) v(message_id, virtual_time))`),
};
const REMOVE = {
  name: 'queue_remove',
  text: `with held as materialized (${IN_ORDER} order by id for update)
    delete from ${MESSAGES} m using held where m.name = '${QUEUE}' and m.id = held.id`,
};
const HAND_BACK = {
  name: 'queue_hand_back',
  text: `with held as materialized (${IN_ORDER} and state = 'active' order by id for update)
    update ${MESSAGES} m set state = 'created', started_on = null, heartbeat_on = null
    from held where m.name = '${QUEUE}' and m.id = held.id`,
};
const CAN_FETCH = `state < 'active' and not blocked and start_after <= now()`;
const TAKE = {
  name: 'queue_take',
  text: `with held as materialized (${IN_ORDER} and ${CAN_FETCH} order by id for update skip locked)
    update ${MESSAGES} m set state = 'active', started_on = now(), heartbeat_on = now() + $2 * interval '1 ms'
    from held where m.name = '${QUEUE}' and m.id = held.id returning m.id, m.data`,
};
// The two messages change places, and all else that tells a taken one from a waiting one.
const EXCHANGE = {
  name: 'queue_exchange',
  text: `with held as materialized (${IN_ORDER} and ${CAN_FETCH} order by id for update skip locked),
    pair as materialized (
      select p.give, p.want from unnest($2::uuid[], $1::uuid[]) p(give, want)
      join held on held.id = p.want
    ),
    swap as (
      select give as id, want as other from pair union all select want, give from pair
    )
    update ${MESSAGES} m set state = o.state, priority = o.priority, data = o.data,
      started_on = o.started_on, heartbeat_on = o.heartbeat_on, start_after = o.start_after,
      retry_count = o.retry_count
    from swap join ${MESSAGES} o on o.name = '${QUEUE}' and o.id = swap.other
    where m.name = '${QUEUE}' and m.id = swap.id returning m.id`,
};
// A message that another transaction holds is being ended or handed back: it needs no sign of life.
const TOUCH = {
  name: 'queue_touch',
  text: `with held as materialized (
      ${IN_ORDER} and state = 'active' order by id for update skip locked)
    update ${MESSAGES} m set heartbeat_on = now() + $2 * interval '1 ms'
    from held where m.name = '${QUEUE}' and m.id = held.id`,
};

interface QueueDeps {
  db: Queryable;
  /** Only workers look after expired messages. */
  supervise: boolean;
  /** How long a node of this process may be silent. */
  silenceMs?: number;
  product?: DatabaseProduct;
  onError(error: unknown): void;
}

function createBoss(
  { supervise, product = 'postgres', onError }: QueueDeps,
  { db, migrate }: { db: BossDb; migrate: boolean },
): PgBoss {
  const boss = new PgBoss({
    db,
    schema: SCHEMA,
    backend: product,
    migrate,
    schedule: false,
    supervise,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
  });
  return boss.on('error', onError);
}

const stopBoss = (boss: PgBoss) => boss.stop({ graceful: false, close: false });

/**
 * Makes the tables of the queue in this transaction. Where they are there already, they are brought up to date; indexes
 * that only a session without a transaction can build are left to the next server.
 */
export async function createQueueTables(tx: Queryable, product: DatabaseProduct): Promise<void> {
  let isOver = false;
  const db = createBossDbs()({
    query: async (statement, values) => {
      // It begins to build indexes as soon as it has started.
      if (isOver) throw new Error('The tables of the queue are made; nothing else is asked for.');
      return insideTransaction(tx).query(statement, values);
    },
  });
  const deps = { db: tx, supervise: false, product, onError: () => undefined };
  const boss = createBoss(deps, { db, migrate: true });
  try {
    await boss.start();
  } finally {
    isOver = true;
    await stopBoss(boss).catch(() => undefined);
  }
}

export async function openQueue(deps: QueueDeps & { hasTables?: boolean }): Promise<Queue> {
  const { product = 'postgres', silenceMs = USUAL_SILENCE_MS } = deps;
  const asBossDb = createBossDbs();
  const boss = createBoss(deps, { db: asBossDb(deps.db), migrate: deps.hasTables !== true });
  try {
    await boss.start();
    await boss.createQueue(QUEUE, {
      // A table of its own, with only the indexes that a plain queue needs. Others have no partitions.
      partition: product === 'postgres',
      heartbeatSeconds: HEARTBEAT_SECONDS,
      // Losses are counted on the job row; the queue itself never gives a message up.
      retryLimit: 1_000_000,
      retryDelay: 0,
      expireInSeconds: 3600,
      retentionSeconds: 86_400,
    });
  } catch (error) {
    // Its timers would keep a process that cannot start from ending.
    await stopBoss(boss).catch(() => undefined);
    throw error;
  }
  const uuids = (jobIds: readonly string[]) => jobIds.map(uuidOf);
  /** How far ahead a sign of life of this process counts, from the moment that it takes a message. */
  const aheadMs = silenceMs - USUAL_SILENCE_MS;
  const touch = (db: Queryable, ids: readonly string[]) => db.query(TOUCH, [ids, aheadMs]);

  return {
    async send(tx, messages, delayMs = 0) {
      if (messages.length === 0) return;
      await tx.query(SEND, [
        uuids(messages.map(({ jobId }) => jobId)),
        messages.map(({ virtualTime }) => virtualTime),
        delaySeconds(delayMs),
      ]);
    },
    async fetch(tx, limit) {
      const messages = await boss.fetch<{ v: number }>(QUEUE, {
        batchSize: limit,
        db: asBossDb(tx),
      });
      if (aheadMs > 0 && messages.length > 0) {
        await touch(
          tx,
          messages.map(({ id }) => id),
        );
      }
      return messages.map(({ id, data }) => ({
        jobId: idFromUuid('job', id),
        virtualTime: data.v,
      }));
    },
    async take(tx, jobIds) {
      if (jobIds.length === 0) return [];
      const { rows } = await tx.query<{ id: string; data: { v: number } }>(TAKE, [
        uuids(jobIds),
        aheadMs,
      ]);
      return rows.map(({ id, data }) => ({ jobId: idFromUuid('job', id), virtualTime: data.v }));
    },
    async exchange(tx, exchanges) {
      if (exchanges.length === 0) return [];
      const { rows } = await tx.query<{ id: string }>(EXCHANGE, [
        uuids(exchanges.map(({ want }) => want)),
        uuids(exchanges.map(({ give }) => give)),
      ]);
      const moved = new Set(rows.map(({ id }) => idFromUuid('job', id)));
      return exchanges.filter(({ want }) => moved.has(want));
    },
    async remove(tx, jobIds) {
      if (jobIds.length > 0) await tx.query(REMOVE, [uuids(jobIds)]);
    },
    async handBack(tx, jobIds) {
      if (jobIds.length > 0) await tx.query(HAND_BACK, [uuids(jobIds)]);
    },
    async touch(jobIds) {
      if (jobIds.length === 0) return;
      await touch(deps.db, uuids(jobIds));
    },
    async shiftVirtualTimes(tx, offset) {
      await tx.query(
        `update ${MESSAGES} set priority = priority + $2,
           data = jsonb_build_object('v', -(priority + $2))
         where name = $1 and state < 'active'`,
        [QUEUE, offset],
      );
    },
    async close() {
      await stopBoss(boss);
    },
  };
}
