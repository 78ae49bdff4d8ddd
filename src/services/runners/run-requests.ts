// What runs are asked for, and how far they are. Made by people and programs, taken by runners.
import { createHash } from 'node:crypto';
import { RUN_REQUEST_ID_PATTERN } from '../../contract/run-request-api.ts';
import type {
  RequestEnd,
  RequestProgress,
  RunRequest,
  RunRequestPage,
  RunRequestQuery,
  RunRequestWork,
} from '../../contract/run-request-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { waitsFor } from '../../domain/runner/waits-for.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { PendingSignals, Signals } from '../../store/postgres/signals.ts';
import { findAnswer, insertAnswer } from '../../store/runners/request-answers.ts';
import { tellRequests } from '../../store/runners/request-events.ts';
import {
  completeRunRequest,
  findRunRequest,
  listRunRequests,
  releaseRunRequest,
  updateProgress,
} from '../../store/runners/run-requests.ts';
import type { RunRequestRow } from '../../store/runners/run-requests.ts';
import { findTeamSettings } from '../../store/accounts/teams.ts';
import { listProjects } from '../../store/runners/runners.ts';
import type { Access } from '../access.ts';
import { createWakeUp } from '../live/wake-up.ts';
import { pageOf } from '../page.ts';
import { addRunRequest, cancelRunRequests } from './add-request.ts';
import type { RunnerViews } from './runner-views.ts';

export interface RunRequestService {
  create(
    actor: Actor,
    work: RunRequestWork,
    idempotencyKey?: string,
  ): Promise<{ request: RunRequest; replayed: boolean }>;
  list(identity: Identity, query: RunRequestQuery): Promise<RunRequestPage>;
  /** Waits for its end for as long as this. */
  find(
    identity: Identity,
    id: string,
    wait?: { ms: number; signal: AbortSignal },
  ): Promise<RunRequest>;
  cancel(actor: Actor, id: string): Promise<RunRequest>;
  /** Of the runner that has it. */
  progress(identity: Identity, id: string, progress: RequestProgress): Promise<void>;
  end(identity: Identity, id: string, end: RequestEnd): Promise<void>;
  release(identity: Identity, id: string, fence: number): Promise<void>;
  /** Of the run that is made for it. */
  findAnswer(identity: Identity, id: string, key: string): Promise<string>;
  keepAnswer(identity: Identity, id: string, key: string, answer: string): Promise<boolean>;
  close(): void;
}

/** A signal may be lost. */
const RECHECK_MS = 5000;
/** Of one request. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

const missing = () => new ServiceError('NOT_FOUND', 'There is no run request with this id.');

function notHeld(): ServiceError {
  const message =
    'This request has ended, or another runner has taken it. Stop the run that was made for it.';
  return new ServiceError('CONFLICT', message);
}

export function createRunRequests(deps: {
  db: Db;
  signals: Signals;
  access: Access;
  views: RunnerViews;
}): RunRequestService {
  const { db, signals, access, views } = deps;
  const waiting = new Map<string, Set<() => void>>();
  const off = signals.on('requests', (teams) => {
    for (const team of teams) for (const wake of waiting.get(team) ?? []) wake();
  });

  async function row(id: string): Promise<RunRequestRow> {
    const found = RUN_REQUEST_ID_PATTERN.test(id) ? await findRunRequest(db, id) : undefined;
    if (found === undefined) throw missing();
    return found;
  }

  async function findOwn(identity: Identity, id: string): Promise<RunRequestRow> {
    const found = await row(id);
    await access.mayRead(identity, found, 'run request');
    return found;
  }

  async function shown(rows: readonly RunRequestRow[]): Promise<RunRequest[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const isQueued = rows.some(({ status }) => status === 'queued');
    const runners = isQueued ? await views.runners(first.teamId) : [];
    const projects = isQueued ? await listProjects(db, first.teamId) : [];
    const settings = isQueued ? await findTeamSettings(db, first.teamId) : {};
    const about = { runners, projects, teamLimit: settings.maxRunningRequests ?? null };
    return rows.map((each) =>
      shownOf(each, each.status === 'queued' ? waitsFor(each, about) : null),
    );
  }

  const one = async (found: RunRequestRow): Promise<RunRequest> => (await shown([found]))[0]!;

  async function inTx<T>(work: (tx: Queryable, pending: PendingSignals) => Promise<T>): Promise<T> {
    const pending = collectSignals();
    const result = await db.tx((tx) => work(tx, pending));
    pending.sendBy(signals);
    return result;
  }

  /** What only the runner that was given the request, or a run that it makes, may say. */
  async function held(
    identity: Identity,
    id: string,
    change: (tx: Queryable) => Promise<boolean>,
  ): Promise<void> {
    const { teamId } = await row(id);
    if (teamId !== identity.teamId) throw missing();
    await inTx(async (tx, pending) => {
      if (!(await change(tx))) throw notHeld();
      tellRequests(pending, teamId);
    });
  }

  function checkOwnRequest({ credential }: Identity, id: string): void {
    if (credential.kind === 'request' && credential.id === id) return;
    throw new ServiceError('FORBIDDEN', 'Only the run that is made for this request may do this.');
  }

  return {
    async create(actor, work, key) {
      const { teamId, userId } = actor;
      const id = newId('rreq');
      const first = await inTx(async (tx, pending) => {
        // Of two requests with the same key one waits here.
        await lockTeam(tx, teamId);
        if (key !== undefined) {
          const text = `POST /v1/run-requests\n${JSON.stringify(work)}`;
          const bodyHash = createHash('sha256').update(text).digest();
          const use = { teamId, userId, key, bodyHash, resourceId: id };
          const before = await takeIdempotencyKey(tx, use);
          if (before !== undefined) return before;
        }
        const request = { id, teamId, userId, apiKeyId: apiKeyIdOf(actor), work };
        await addRunRequest(tx, pending, {
          ...request,
          origin: { kind: 'person', id: null },
        });
        const { project, run } = work;
        const after = { project, ...(run && { run: run.id, action: run.action }) };
        await writeAudit(tx, {
          action: 'run_request.created',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          after,
        });
        return undefined;
      });
      const request = await one(await row(first ?? id));
      return { request, replayed: first !== undefined };
    },
    async list(identity, { limit, ...query }) {
      const { status, project, runId, before } = query;
      const asked = { status, project, runId, before, limit: limit + 1 };
      const rows = await listRunRequests(db, identity.teamId, asked);
      const page = pageOf(rows, limit, (each) => each);
      return { ...page, items: (await shown(page.items)).map(withoutManifest), limit };
    },
    async find(identity, id, wait) {
      let found = await findOwn(identity, id);
      if (wait === undefined || wait.ms <= 0) return one(found);
      const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(Math.round(wait.ms))]);
      const { wake, next } = createWakeUp(signal);
      const wakers = waiting.get(found.teamId) ?? new Set();
      waiting.set(found.teamId, wakers.add(wake));
      try {
        // It may have ended since it was read.
        found = await row(id);
        while (found.endedAt === null && !signal.aborted) {
          await next(RECHECK_MS);
          found = await findOwn(identity, id);
        }
      } finally {
        wakers.delete(wake);
        if (wakers.size === 0 && waiting.get(found.teamId) === wakers) waiting.delete(found.teamId);
      }
      return one(found);
    },
    async cancel(actor, id) {
      const found = await findOwn(actor, id);
      await access.mayWrite(actor, found, 'run request');
      if (found.endedAt !== null) {
        throw new ServiceError('CONFLICT', `This request has ended: it is ${found.status}.`);
      }
      await inTx(async (tx, pending) => {
        const { teamId } = found;
        const why = 'It was cancelled before it began.';
        const changed = await cancelRunRequests(tx, pending, { teamId, ids: [id], why });
        if (changed.length === 0) return;
        await writeAudit(tx, {
          action: 'run_request.cancelled',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          after: { project: found.project },
        });
      });
      return one(await row(id));
    },
    progress: (identity, id, { fence, runId, base }) =>
      held(identity, id, (tx) => updateProgress(tx, { id, fence }, { runId, base })),
    async end(identity, id, { fence, status, outcome }) {
      const before = await row(id);
      // Its answer was lost on the way: said again, it is the same.
      if (before.fence === fence && before.status === status && before.teamId === identity.teamId) {
        return;
      }
      await held(identity, id, (tx) => completeRunRequest(tx, { id, fence }, { status, outcome }));
    },
    release: (identity, id, fence) =>
      held(identity, id, (tx) => releaseRunRequest(tx, { id, fence })),
    async findAnswer(identity, id, key) {
      checkOwnRequest(identity, id);
      const answer = await findAnswer(db, id, key);
      if (answer === undefined) throw new ServiceError('NOT_FOUND', 'This was not answered yet.');
      return answer;
    },
    async keepAnswer(identity, id, key, answer) {
      checkOwnRequest(identity, id);
      return insertAnswer(db, { requestId: id, key, answer }, MOST_ANSWER_BYTES);
    },
    close: off,
  };
}

/** It may be long, and a page of them longer. */
function withoutManifest(request: RunRequest): RunRequest {
  if (request.outcome === null) return request;
  const { manifest: _, ...outcome } = request.outcome;
  return { ...request, outcome };
}

function shownOf(row: RunRequestRow, waits: string | null): RunRequest {
  const { id, status, project, work, originKind, originId, runIds, base, fence, outcome } = row;
  const { userId, email, userName: name, runnerId, runnerName } = row;
  return {
    id,
    status,
    project,
    work,
    origin: { kind: originKind, id: originId },
    requestedBy: { userId, email, name },
    runner: runnerId === null ? null : { id: runnerId, name: runnerName ?? '' },
    runId: runIds.at(-1) ?? null,
    runIds,
    base,
    attempts: fence,
    cancelRequested: row.isCancelled,
    waitsFor: waits,
    outcome,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
