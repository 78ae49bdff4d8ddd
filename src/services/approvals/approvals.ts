// What runs ask a person: made by their commands, answered once by those who may. The command compares the hash of the
// answer with what it is about to do.
import { APPROVAL_ID_PATTERN } from '../../contract/approval-api.ts';
import type {
  Approval,
  ApprovalListQuery,
  ApprovalPage,
  CreateApprovalRequest,
  ListedApproval,
  ResolveApprovalRequest,
} from '../../contract/approval-api.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { Role } from '../../contract/permissions.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { byOtherOf, whyNotAnswered } from '../../domain/approval/answering.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { findTeamSettings } from '../../store/accounts/teams.ts';
import { tellApproval } from '../../store/approvals/approval-events.ts';
import {
  completeApproval,
  countOpenApprovals,
  findApproval,
  findSameApproval,
  insertApproval,
  listApprovals,
} from '../../store/approvals/approvals.ts';
import type {
  ApprovalRow,
  ApprovalWithDetail,
  Resolution,
} from '../../store/approvals/approvals.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Access } from '../access.ts';
import { createWakeUp } from '../live/wake-up.ts';
import { pageOf } from '../page.ts';
import { addReview, submitReview } from './review-of-approval.ts';
import { tooLate } from './too-late.ts';

export interface ApprovalService {
  /** The same question of a run again is the one from before, with its answer. */
  create(identity: Identity, request: CreateApprovalRequest): Promise<Approval>;
  list(identity: Identity, query: ApprovalListQuery): Promise<ApprovalPage>;
  /** Waits for the answer for as long as this. */
  find(
    identity: Identity,
    id: string,
    wait?: { ms: number; signal: AbortSignal },
  ): Promise<Approval>;
  resolve(actor: Actor, id: string, request: ResolveApprovalRequest): Promise<Approval>;
  /** Nobody waits for the answer any more. */
  withdraw(identity: Identity, id: string): Promise<Approval>;
  close(): void;
}

/** A run asks about each stream at most a few times. */
const MAX_OPEN = 1000;
/** A signal may be lost. */
const RECHECK_MS = 5000;

function listedOf(row: ApprovalRow, caller: { role: Role; userId: string }): ListedApproval {
  const { id, kind, runId, streamId, title, hash, role, byOther, createdAt, expiresAt } = row;
  const { hasReview } = row;
  // What is due denies, whether or not that is written down already.
  const isOpen = row.status === 'open';
  return {
    id,
    kind,
    status: row.status,
    runId,
    streamId,
    title,
    hash,
    role,
    byOther,
    requestedBy: { userId: row.userId, email: row.email, name: row.name },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    path: `/approvals/${id}`,
    mayAnswer: isOpen && whyNotAnswered(row, caller) === undefined,
    hasReview,
    resolution: isOpen ? null : resolutionOf(row),
  };
}

function resolutionOf(row: ApprovalRow): NonNullable<ListedApproval['resolution']> {
  const { resolvedBy, resolverEmail, resolverName, resolvedAt, comment, answer } = row;
  return {
    by:
      resolvedBy === null
        ? null
        : { userId: resolvedBy, email: resolverEmail!, name: resolverName },
    at: resolvedAt!.toISOString(),
    comment,
    answer,
    expired: row.status === 'denied' && resolvedBy === null,
  };
}

const shownOf = (row: ApprovalWithDetail, caller: { role: Role; userId: string }): Approval => ({
  ...listedOf(row, caller),
  detail: row.detail,
  format: row.format,
});

export function createApprovals(deps: {
  db: Db;
  signals: Signals;
  access: Access;
}): ApprovalService {
  const { db, signals, access } = deps;
  const waiting = new Map<string, Set<() => void>>();
  const off = signals.on('approvals', (ids) => {
    for (const id of ids) for (const wake of waiting.get(id) ?? []) wake();
  });

  /** With the role of the caller in its team. */
  async function findOwn(identity: Identity, id: string) {
    const row = APPROVAL_ID_PATTERN.test(id) ? await findApproval(db, id) : undefined;
    if (row === undefined) {
      throw new ServiceError('NOT_FOUND', 'There is no approval with this id.');
    }
    await access.mayWrite(identity, row, 'approval');
    const role = await access.mayInTeam(identity, row.teamId, 'write');
    return { row, caller: { role, userId: identity.userId } };
  }

  async function inTx<T>(
    work: (tx: Queryable, pending: ReturnType<typeof collectSignals>) => Promise<T>,
  ) {
    const pending = collectSignals();
    const result = await db.tx((tx) => work(tx, pending));
    pending.sendBy(signals);
    return result;
  }

  async function end(
    row: ApprovalRow,
    hash: string,
    resolution: Resolution,
    record: (tx: Queryable) => Promise<void>,
  ): Promise<ApprovalWithDetail> {
    const isFirst = await inTx(async (tx, pending) => {
      if (!(await completeApproval(tx, { id: row.id, hash }, resolution))) return false;
      await tellApproval(tx, row.id, 'approval.resolved', pending);
      await record(tx);
      return true;
    });
    const now = (await findApproval(db, row.id))!;
    if (!isFirst) throw tooLate(now, hash);
    return now;
  }

  return {
    async create(identity, { origin, expiresInSeconds, streamId, review, ...request }) {
      const { teamId, userId } = identity;
      if (review !== undefined && request.kind !== 'changes') {
        throw invalid('review', 'not_changes', 'Only `changes` are reviewed by hunk.');
      }
      const { approvalByOther } = await findTeamSettings(db, teamId);
      // Whatever the run says of itself.
      const from = identity.credential.kind === 'request' ? 'runner' : origin;
      const approval = {
        ...request,
        id: newId('apr'),
        teamId,
        userId,
        apiKeyId: apiKeyIdOf(identity),
        streamId: streamId ?? null,
        byOther: byOtherOf({ kind: request.kind, origin: from }, approvalByOther === true),
        lifeSeconds: expiresInSeconds,
      };
      const row = await inTx(async (tx, pending) => {
        await lockTeam(tx, teamId);
        const before = await findSameApproval(tx, approval);
        if (before !== undefined) return before;
        if ((await countOpenApprovals(tx, teamId)) >= MAX_OPEN) {
          const message = `${MAX_OPEN} approvals of this team are open. Answer some first.`;
          throw new ServiceError('CONFLICT', message);
        }
        await insertApproval(tx, approval);
        if (review !== undefined) await addReview(tx, approval, review);
        await tellApproval(tx, approval.id, 'approval.requested', pending);
        return (await findApproval(tx, approval.id))!;
      });
      return shownOf(row, identity);
    },
    async list(identity, { limit, status, runId, before }) {
      const query = { status, runId, before, limit: limit + 1 };
      const rows = await listApprovals(db, identity.teamId, query);
      return { ...pageOf(rows, limit, (row) => listedOf(row, identity)), limit };
    },
    async find(identity, id, wait) {
      let { row, caller } = await findOwn(identity, id);
      if (wait === undefined || wait.ms <= 0) return shownOf(row, caller);
      const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(Math.round(wait.ms))]);
      const key = runKeyText({ teamId: row.teamId, runId: id });
      const { wake, next } = createWakeUp(signal);
      const wakers = waiting.get(key) ?? new Set();
      waiting.set(key, wakers.add(wake));
      try {
        // It may have been answered since it was read.
        row = (await findApproval(db, id)) ?? row;
        while (row.status === 'open' && !signal.aborted) {
          await next(RECHECK_MS);
          ({ row, caller } = await findOwn(identity, id));
        }
      } finally {
        wakers.delete(wake);
        if (wakers.size === 0 && waiting.get(key) === wakers) waiting.delete(key);
      }
      return shownOf(row, caller);
    },
    async resolve(actor, id, { decision, hash, comment, answer, verdict }) {
      const { row, caller } = await findOwn(actor, id);
      if (verdict !== undefined && (!row.hasReview || decision === 'deny')) {
        throw invalid('verdict', 'not_a_review', 'Only a review that is approved has a verdict.');
      }
      const isAnswer = row.kind === 'question' && decision === 'approve';
      if (isAnswer && answer === undefined) {
        throw invalid('answer', 'required', 'Approving a question needs an answer.');
      }
      if (!isAnswer && answer !== undefined) {
        throw invalid(
          'answer',
          'not_a_question',
          'Only a question that is approved has an answer.',
        );
      }
      const why = whyNotAnswered(row, caller);
      if (why !== undefined) throw new ServiceError('FORBIDDEN', why);
      const resolution = {
        status: decision === 'approve' ? 'approved' : 'denied',
        userId: actor.userId,
        comment: comment ?? null,
        answer: answer ?? null,
      } as const;
      const said = decision === 'approve' ? (verdict ?? 'apply') : 'reject';
      const now = await end(row, hash, resolution, async (tx) => {
        if (row.hasReview) await submitReview(tx, id, { userId: actor.userId, verdict: said });
        await writeAudit(tx, {
          action: 'approval.resolved',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          after: { kind: row.kind, run: row.runId, decision, hash },
        });
      });
      return shownOf(now, caller);
    },
    async withdraw(identity, id) {
      const { row, caller } = await findOwn(identity, id);
      if (row.userId !== identity.userId) {
        const message = 'Only the person whose run asks can withdraw this. Deny it instead.';
        throw new ServiceError('FORBIDDEN', message);
      }
      const { userId } = identity;
      const resolution = { status: 'withdrawn', userId, comment: null, answer: null } as const;
      return shownOf(await end(row, row.hash, resolution, async () => undefined), caller);
    },
    close: off,
  };
}
