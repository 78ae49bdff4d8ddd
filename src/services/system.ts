// How the server is doing, for those who manage it.
import type { JobWaiting } from '../contract/job-api.ts';
import type { SystemState } from '../contract/system-api.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { Clock } from '../platform/clock.ts';
import { findQueueDepth } from '../store/jobs/jobs.ts';
import {
  countParked,
  findDatabase,
  findOldestPending,
  listNodes,
  listWaitGroups,
} from '../store/jobs/system-state.ts';
import type { OldestJobRow } from '../store/jobs/system-state.ts';
import { ping } from '../store/postgres/db.ts';
import type { Db } from '../store/postgres/db.ts';
import type { DatabaseModes } from '../store/postgres/modes.ts';
import { fromJsonText } from '../store/postgres/json-text.ts';
import { findWebhookBacklog } from '../store/webhooks/webhook-backlog.ts';
import { checkServerAdmin } from './accounts/server-admin.ts';

export interface SystemService {
  state(by: Identity): Promise<SystemState>;
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function waitingOf({ reason, until, detail, parked }: OldestJobRow): JobWaiting | undefined {
  if (reason !== null) {
    return { reason, until: iso(until), detail: detail === null ? null : fromJsonText(detail) };
  }
  return parked ? { reason: 'concurrency', until: null, detail: null } : undefined;
}

function oldestOf(row: OldestJobRow | undefined): SystemState['queue']['oldest'] {
  if (row === undefined) return null;
  const waiting = waitingOf(row);
  return {
    jobId: row.jobId,
    queuedAt: row.queuedAt.toISOString(),
    ...(waiting ? { waiting } : {}),
  };
}

export function createSystemService(deps: {
  db: Db;
  clock: Clock;
  version: string;
  modes: DatabaseModes;
}): SystemService {
  const { db, clock, version } = deps;
  const { signals, liveness } = deps.modes;

  async function latencyMs(): Promise<number> {
    const startedAt = clock.now();
    await ping(db);
    return Math.max(0, clock.now() - startedAt);
  }

  return {
    async state(by) {
      await checkServerAdmin(db, by);
      // Alone: behind the other statements it would measure them.
      const latency = await latencyMs();
      const [nodes, depth, parked, oldest, waits, backlog, database] = await Promise.all([
        listNodes(db),
        findQueueDepth(db),
        countParked(db),
        findOldestPending(db),
        listWaitGroups(db),
        findWebhookBacklog(db),
        findDatabase(db),
      ]);
      return {
        version,
        nodes: nodes.map((node) => ({ ...node, startedAt: node.startedAt.toISOString() })),
        queue: {
          pending: depth.pending,
          running: depth.running,
          parked,
          oldest: oldestOf(oldest),
        },
        waits: waits.map((wait) => ({ ...wait, until: iso(wait.until) })),
        webhooks: { ...backlog, oldestAt: iso(backlog.oldestAt) },
        database: { ...database, latencyMs: latency, signals, liveness },
      };
    },
  };
}
