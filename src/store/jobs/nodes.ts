// Which nodes are alive. A node beats its row and, where it has a session of its own, holds an advisory
// lock there. The lock goes with the process, so a killed node is noticed within seconds; a node that is
// only cut off keeps its lock, and is given up when its beat is old, as is one without a lock.
import type { Db, Queryable } from '../postgres/db.ts';
import { USUAL_SILENCE_MS } from '../postgres/time-limits.ts';
import type { Price } from '../../domain/usage/largest-cost.ts';
import { requeueInTx } from './requeue-jobs.ts';
import type { RequeuedJob } from './requeue-jobs.ts';

const LOCK_SPACE = 7;

export interface NodeRow {
  id: string;
  role: string;
  version: string;
  slots: number;
  holdsLock: boolean;
  /** How long it may be without a beat. */
  silenceMs: number;
}

export async function insertNode(db: Queryable, node: NodeRow): Promise<void> {
  await db.query(
    `insert into nodes (id, role, version, slots, holds_lock, silent_ms)
     values ($1, $2, $3, $4, $5, $6)`,
    [node.id, node.role, node.version, node.slots, node.holdsLock, node.silenceMs],
  );
}

/** Taken on the listener's session; waits while a previous session of this node still fades. */
export async function lockNode(session: Queryable, nodeId: string): Promise<void> {
  await session.query(`select pg_advisory_lock(hashtextextended($1, ${LOCK_SPACE}))`, [nodeId]);
}

/** False when another node has given this one up. */
export async function updateBeat(db: Queryable, nodeId: string): Promise<boolean> {
  const { rowCount } = await db.query('update nodes set beat_at = now() where id = $1', [nodeId]);
  return rowCount === 1;
}

/**
 * Whether a server is at work on this database, besides who asks: by the name of its connections, or by a beat of
 * the last seconds behind poolers that hide names.
 */
export async function isServed(db: Queryable, { hasTables = true } = {}): Promise<boolean> {
  const beats = `exists (
    select 1 from nodes where beat_at > now() - (silent_ms + 2000) * interval '1 ms')`;
  const { rows } = await db.query<{ served: boolean }>(
    `select ${hasTables ? `${beats} or` : ''} exists (
       select 1 from pg_stat_activity where datname = current_database()
         and application_name = 'millrace' and pid <> pg_backend_pid()) as served`,
  );
  return rows[0]?.served === true;
}

export async function deleteNode(db: Queryable, nodeId: string): Promise<void> {
  await db.query('delete from nodes where id = $1', [nodeId]);
}

export interface LostNode {
  nodeId: string;
  /** How many jobs it had. */
  jobs: number;
}

const countByNode = (nodeIds: readonly string[], jobs: readonly RequeuedJob[]): LostNode[] =>
  nodeIds.map((nodeId) => ({ nodeId, jobs: jobs.filter((job) => job.nodeId === nodeId).length }));

const FIND_UNKNOWN_NODES = {
  name: 'find_unknown_nodes',
  text: `select distinct node_id as id from jobs j where status = 'running' and kind = 'job'
    and not exists (select 1 from nodes n where n.id = j.node_id)`,
};

/** What the node that looks for dead ones knows about the database itself. */
export interface Answered {
  /** For how long it has been answered without a break. */
  forMs: number;
  /** There was no break since it joined. */
  always: boolean;
}

/**
 * Gives up dead nodes and requeues their jobs; returns what was taken from whom. Silence counts only while the
 * database answers: a database that was away was away for all, and took the locks of all sessions with it. So after
 * a break every node has its whole time again. A node that runs no jobs gives up only those that run none either: the
 * jobs of a worker that comes back are better there than with nobody.
 */
export async function sweepDeadNodes(
  deps: { db: Db; price?: Price },
  own: { nodeId: string; slots: number },
  { answered, suspectMs }: { answered: Answered; suspectMs: number | undefined },
): Promise<LostNode[]> {
  return deps.db.tx(async (tx) => {
    const isSilent = `beat_at < now() - silent_ms * interval '1 ms' and silent_ms <= $2`;
    // However long it may be silent: to connect and lock again takes no longer than this.
    const mayHaveLocked = `least(silent_ms, ${USUAL_SILENCE_MS}) <= $2`;
    const isSuspect = `n.holds_lock and beat_at < now() - $3 * interval '1 ms' and ($4 or ${mayHaveLocked})
      and pg_try_advisory_xact_lock(hashtextextended(n.id, ${LOCK_SPACE}))`;
    // A node that holds no lock may be on a database where locks say nothing.
    const asksLocks = suspectMs !== undefined;
    const isSteady = answered.always && answered.forMs >= (suspectMs ?? 0);
    const { rows } = await tx.query<{ id: string }>(
      `select id from nodes n where id <> $1 ${own.slots > 0 ? '' : 'and slots = 0'}
         and (${isSilent}${asksLocks ? ` or (${isSuspect})` : ''})
       for update skip locked`,
      [own.nodeId, answered.forMs, ...(asksLocks ? [suspectMs, isSteady] : [])],
    );
    // All at once: their runs are locked in one order.
    const nodeIds = rows.map(({ id }) => id);
    if (nodeIds.length === 0) return [];
    const jobs = await requeueInTx(tx, nodeIds, { lost: true, price: deps.price });
    await tx.query('delete from nodes where id = any($1)', [nodeIds]);
    return countByNode(nodeIds, jobs);
  });
}

/**
 * Requeues jobs that run on a node which no table knows: it left while a transaction that held its row gave it a job.
 */
export async function requeueOrphans(deps: { db: Db; price?: Price }): Promise<LostNode[]> {
  const { rows } = await deps.db.query<{ id: string }>(FIND_UNKNOWN_NODES);
  if (rows.length === 0) return [];
  const nodeIds = rows.map(({ id }) => id);
  const jobs = await deps.db.tx((tx) =>
    requeueInTx(tx, nodeIds, { lost: true, price: deps.price }),
  );
  return countByNode(nodeIds, jobs);
}
