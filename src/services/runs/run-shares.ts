// Links with which anybody may look at one run: made by people who may change it, seen without an account.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import type { RunEvent } from '../../contract/run-events.ts';
import type { StreamChanges } from '../../contract/run-report-api.ts';
import { SHARE_LIVES } from '../../contract/run-shares-api.ts';
import type {
  CreatedRunShare,
  RunShare,
  ShareRunRequest,
  SharedRun,
} from '../../contract/run-shares-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { sharedEvent } from '../../domain/run/shared-event.ts';
import { newId } from '../../platform/ids.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import {
  derivedSecretToken,
  hashSecretToken,
  isSecretToken,
  newSecretToken,
} from '../../platform/secret-token.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { findReport, listRunChanges, listRunEvents } from '../../store/runs/run-reports.ts';
import {
  countShares,
  deleteShare,
  findShare,
  insertShare,
  listShares,
} from '../../store/runs/run-shares.ts';
import type { ShareRow } from '../../store/runs/run-shares.ts';
import type { Attempts } from '../accounts/attempts.ts';
import type { RunOwners } from './run-owner.ts';

export interface Visit {
  shareId: string;
  token: string;
  address: string;
}

export interface RunShareService {
  create(
    actor: Actor,
    runId: string,
    request: ShareRunRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ share: CreatedRunShare; replayed: boolean }>;
  list(actor: Actor, runId: string): Promise<RunShare[]>;
  revoke(actor: Actor, runId: string, shareId: string): Promise<void>;
  /** For visitors with the link; only events after `after`. */
  look(visit: Visit, after: number): Promise<SharedRun>;
  changes(visit: Visit): Promise<StreamChanges[]>;
}

/** Links that work, of a run and of all runs of a team. */
const MAX_RUN_SHARES = 50;
const MAX_TEAM_SHARES = 1000;

/** A run of a thousand streams has about twenty thousand. */
const MOST_EVENTS = 50_000;

function timesOf({ id, includeChanges, createdAt, expiresAt }: ShareRow) {
  return {
    id,
    includeChanges,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

function created(share: ShareRow, token: string): CreatedRunShare {
  return { ...timesOf(share), token, path: `/s/${share.id}#${token}` };
}

export function createRunShareService(deps: {
  db: Db;
  runOwners: RunOwners;
  attempts: Attempts;
  masterKeys: MasterKeys;
}): RunShareService {
  const { db, runOwners } = deps;

  /** With an Idempotency-Key the same again for the same request, and no secret has to be kept for it. */
  function tokenFor(shareId: string, idempotencyKey: string | undefined): string {
    if (idempotencyKey === undefined) return newSecretToken('sh');
    const { key } = deps.masterKeys.active();
    return derivedSecretToken('sh', key, `${shareId} ${idempotencyKey}`);
  }

  /** Undefined for the first request of its Idempotency-Key; otherwise what that one made. */
  async function replayOf(
    tx: Queryable,
    { teamId, userId }: Actor,
    use: { key: string; request: string; id: string },
  ): Promise<CreatedRunShare | undefined> {
    const bodyHash = createHash('sha256').update(use.request).digest();
    const taken = { teamId, userId, key: use.key, bodyHash, resourceId: use.id };
    const firstId = await takeIdempotencyKey(tx, taken);
    if (firstId === undefined) return undefined;
    const token = tokenFor(firstId, use.key);
    const share = await findShare(tx, firstId, hashSecretToken(token));
    if (share !== undefined) return created(share, token);
    const message =
      'The link created with this Idempotency-Key has expired or was revoked. Use a new key.';
    throw new ServiceError('CONFLICT', message);
  }

  async function checkRoom(tx: Queryable, key: RunKey): Promise<void> {
    const { ofRun, ofTeam } = await countShares(tx, key);
    if (ofRun < MAX_RUN_SHARES && ofTeam < MAX_TEAM_SHARES) return;
    const message =
      ofRun < MAX_RUN_SHARES
        ? `Runs of this team have ${MAX_TEAM_SHARES} links that work. Revoke one first.`
        : `This run has ${MAX_RUN_SHARES} links that work. Revoke one first.`;
    throw new ServiceError('CONFLICT', message);
  }

  async function open({ shareId, token, address }: Visit): Promise<ShareRow> {
    await deps.attempts.count(address, undefined, 'shared run');
    const share = isSecretToken(token, 'sh')
      ? await findShare(db, shareId, hashSecretToken(token))
      : undefined;
    if (share === undefined) {
      const message = 'This link has expired or was revoked. Ask for a new one.';
      throw new ServiceError('NOT_FOUND', message);
    }
    return share;
  }

  return {
    async create(actor, runId, request, idempotencyKey) {
      const { expiresIn, includeChanges } = request;
      const key = await runOwners.find(actor, runId, 'write');
      const id = newId('shr');
      const token = tokenFor(id, idempotencyKey);
      const text = `POST shares ${JSON.stringify([runId, expiresIn, includeChanges])}`;
      return db.tx(async (tx) => {
        // First: others who come with the same key, or take the last place, wait here.
        await lockTeam(tx, key.teamId);
        const use = { key: idempotencyKey ?? '', request: text, id };
        const before = idempotencyKey === undefined ? undefined : await replayOf(tx, actor, use);
        if (before !== undefined) return { share: before, replayed: true };
        await checkRoom(tx, key);
        const share = await insertShare(tx, {
          ...key,
          id,
          userId: actor.userId,
          tokenHash: hashSecretToken(token),
          includeChanges,
          lifeHours: SHARE_LIVES[expiresIn],
        });
        if (share === undefined) {
          const message = 'Only runs that their command line reports can be shared.';
          throw new ServiceError('CONFLICT', message);
        }
        await writeAudit(tx, {
          action: 'run.shared',
          actor: auditActorOf(actor),
          teamId: key.teamId,
          target: runId,
          after: { share: share.id, includeChanges, expiresAt: share.expiresAt.toISOString() },
        });
        return { share: created(share, token), replayed: false };
      });
    },
    async list(actor, runId) {
      const shares = await listShares(db, await runOwners.find(actor, runId, 'read'));
      return shares.map((share) => ({ ...timesOf(share), createdBy: share.createdBy }));
    },
    async revoke(actor, runId, shareId) {
      const key = await runOwners.find(actor, runId, 'write');
      await db.tx(async (tx) => {
        const share = await deleteShare(tx, key, shareId);
        if (share === undefined) {
          throw new ServiceError('NOT_FOUND', 'There is no such link, or it works no longer.');
        }
        await writeAudit(tx, {
          action: 'run.share_revoked',
          actor: auditActorOf(actor),
          teamId: key.teamId,
          target: runId,
          before: { share: share.id },
        });
      });
    },
    async look(visit, after) {
      const share = await open(visit);
      const { includeChanges, expiresAt } = share;
      const [rows, report] = await Promise.all([
        listRunEvents(db, share, after, MOST_EVENTS),
        findReport(db, share),
      ]);
      const events = rows.flatMap(
        ({ event }) => sharedEvent(JSON.parse(event) as RunEvent, includeChanges) ?? [],
      );
      return {
        expiresAt: expiresAt.toISOString(),
        includeChanges,
        isLive: report?.live.isLive ?? false,
        progress: report?.progress ?? {},
        events,
      };
    },
    async changes(visit) {
      const share = await open(visit);
      if (!share.includeChanges) {
        throw new ServiceError('FORBIDDEN', 'This link does not show the changes of the run.');
      }
      return listRunChanges(db, share);
    },
  };
}
