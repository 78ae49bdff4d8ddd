// The triggers of a team.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../../contract/errors.ts';
import {
  MAX_TRIGGERS,
  TRIGGER_DELIVERY_ID_PATTERN,
  TRIGGER_ID_PATTERN,
} from '../../contract/trigger-api.ts';
import type {
  CreateTriggerRequest,
  CreatedTrigger,
  HookAnswer,
  RotateTriggerRequest,
  RotatedTrigger,
  TestTriggerRequest,
  TestedTrigger,
  Trigger,
  TriggerDeliveryPage,
  TriggerDeliveryQuery,
  UpdateTriggerRequest,
} from '../../contract/trigger-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { findSpent } from '../../store/start-rules/start-facts.ts';
import {
  findFacts,
  findLastDeliveries,
  listTriggerDeliveries,
} from '../../store/triggers/deliveries.ts';
import {
  deleteTrigger,
  endTriggerSecrets,
  findTrigger,
  insertTrigger,
  insertTriggerSecret,
  listTriggers,
  lockTrigger,
  lockTriggerCount,
  updateTrigger,
} from '../../store/triggers/triggers.ts';
import type { TriggerFields, TriggerRow } from '../../store/triggers/triggers.ts';
import type { Access } from '../access.ts';
import { pageOf } from '../page.ts';
import { checkTrigger, isCallValue } from './check-trigger.ts';
import { sampleEvent } from './sample-event.ts';
import { startOfEvent } from './start-of-event.ts';
import { newTriggerSecret } from './trigger-secrets.ts';
import { workOfEvent } from './work-of-event.ts';

export interface TriggerService {
  create(
    actor: Actor,
    request: CreateTriggerRequest,
    idempotencyKey: string | undefined,
  ): Promise<CreatedTrigger>;
  list(identity: Identity): Promise<Trigger[]>;
  find(identity: Identity, id: string): Promise<Trigger>;
  update(actor: Actor, id: string, request: UpdateTriggerRequest): Promise<Trigger>;
  remove(actor: Actor, id: string): Promise<{ deleted: true; id: string }>;
  rotate(actor: Actor, id: string, request: RotateTriggerRequest): Promise<RotatedTrigger>;
  /** What an event would ask for; nothing is started. */
  test(identity: Identity, id: string, request: TestTriggerRequest): Promise<TestedTrigger>;
  deliveries(
    identity: Identity,
    id: string,
    query: TriggerDeliveryQuery,
  ): Promise<TriggerDeliveryPage>;
  /** As if it came again, by the rules of today. */
  replay(actor: Actor, id: string, deliveryId: string): Promise<HookAnswer>;
}

const missing = () => new ServiceError('NOT_FOUND', 'There is no trigger with this id.');
/** Each of them is tried for every call. */
const MAX_SECRETS = 5;

/** What the audit log keeps: not the work, which may be long. */
function settingsOf(fields: TriggerFields) {
  const { name, kind, repository, events, filters, status, userId } = fields;
  const { project } = fields.work;
  return { name, kind, repository, events, filters, status, userId, project };
}

const hashOf = (request: CreateTriggerRequest): Buffer =>
  createHash('sha256').update('POST /v1/triggers\n').update(JSON.stringify(request)).digest();

export function createTriggerService(deps: {
  db: Db;
  access: Access;
  signals: Signals;
  masterKeys: MasterKeys;
  publicUrl(): string;
}): TriggerService {
  const { db, access, signals, masterKeys } = deps;
  const urlOf = (id: string) => `${deps.publicUrl().replace(/\/$/, '')}/v1/hooks/${id}`;

  async function findOwn(identity: Identity, id: string): Promise<TriggerRow> {
    const row = TRIGGER_ID_PATTERN.test(id) ? await findTrigger(db, id) : undefined;
    if (row === undefined) throw missing();
    await access.mayRead(identity, row, 'trigger');
    return row;
  }

  async function findToChange(identity: Identity, id: string): Promise<TriggerRow> {
    const row = await findOwn(identity, id);
    await access.mayWrite(identity, row, 'trigger');
    return row;
  }

  async function shown(rows: readonly TriggerRow[]): Promise<Trigger[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [spent, last] = await Promise.all([
      findSpent(db, 'trigger', ids),
      findLastDeliveries(db, ids),
    ]);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      kind: row.kind,
      url: urlOf(row.id),
      repository: row.repository,
      events: row.events,
      filters: row.filters,
      work: row.work,
      overlap: row.overlap,
      budgetUsdPerMonth: row.budgetUsd,
      spentUsdThisMonth: spent.get(row.id) ?? 0,
      pauseAfterFailures: row.pauseAfterFailures,
      status: row.status,
      pausedReason: row.pausedReason,
      pausedAt: row.pausedAt?.toISOString() ?? null,
      owner: { userId: row.userId, email: row.email, name: row.userName },
      lastDelivery: last.get(row.id) ?? null,
      refused: { count: row.refused, lastAt: row.refusedAt?.toISOString() ?? null },
      createdAt: row.createdAt.toISOString(),
    }));
  }

  async function one(id: string): Promise<Trigger> {
    const row = await findTrigger(db, id);
    if (row === undefined) throw missing();
    return (await shown([row]))[0]!;
  }

  /** With the team held first, as everything that starts runs does it. */
  async function changed<T>(
    { id, teamId }: { id: string; teamId: string },
    work: (tx: Queryable, row: TriggerRow) => Promise<T>,
  ): Promise<T> {
    return db.tx(async (tx) => {
      await lockTeam(tx, teamId);
      const row = await lockTrigger(tx, id);
      if (row === undefined) throw missing();
      return work(tx, row);
    });
  }

  return {
    async create(actor, request, key) {
      const { teamId, userId } = actor;
      const { budgetUsdPerMonth, repository, events, status, ...rest } = request;
      const id = newId('trg');
      const fields: TriggerFields = {
        ...rest,
        userId,
        apiKeyId: apiKeyIdOf(actor),
        repository: repository ?? null,
        events: [...new Set(events)],
        budgetUsd: budgetUsdPerMonth,
        status,
        pausedReason: status === 'paused' ? 'user' : null,
      };
      checkTrigger(fields);
      const { secret, stored } = newTriggerSecret(masterKeys, { id, kind: request.kind });
      await db.tx(async (tx) => {
        const count = await lockTriggerCount(tx, teamId);
        if (key !== undefined) {
          const use = { teamId, userId, key, bodyHash: hashOf(request), resourceId: id };
          const first = await takeIdempotencyKey(tx, use);
          if (first !== undefined) {
            // Its secret was in that answer, and is in no other.
            const message = `This Idempotency-Key has created the trigger ${first}. Rotate its secret if you do not have it.`;
            throw new ServiceError('CONFLICT', message);
          }
        }
        if (count >= MAX_TRIGGERS) {
          const message = `You have reached the limit of ${MAX_TRIGGERS} triggers. Delete one first.`;
          throw new ServiceError('CONFLICT', message);
        }
        await insertTrigger(tx, { id, teamId }, fields);
        await insertTriggerSecret(tx, { ...stored, id: newId('tsec'), triggerId: id });
        await writeAudit(tx, {
          action: 'trigger.created',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          after: settingsOf(fields),
        });
      });
      return { ...(await one(id)), secret };
    },

    list: async (identity) => shown(await listTriggers(db, identity.teamId)),

    async find(identity, id) {
      const row = await findOwn(identity, id);
      return (await shown([row]))[0]!;
    },

    async update(actor, id, request) {
      const own = await findToChange(actor, id);
      await changed(own, async (tx, row) => {
        const { name, repository, events, filters, work, overlap, status } = request;
        const { budgetUsdPerMonth = row.budgetUsd } = request;
        const { pauseAfterFailures = row.pauseAfterFailures } = request;
        const resumed = status === 'active' && row.status === 'paused';
        const paused = status === 'paused' && row.status === 'active';
        // What runs is run as the person who said so last.
        const owner = resumed || work !== undefined;
        const after: TriggerFields = {
          ...row,
          ...(owner && { userId: actor.userId, apiKeyId: apiKeyIdOf(actor) }),
          name: name ?? row.name,
          repository: repository ?? row.repository,
          events: events === undefined ? row.events : [...new Set(events)],
          filters: filters ?? row.filters,
          work: work ?? row.work,
          overlap: overlap ?? row.overlap,
          budgetUsd: budgetUsdPerMonth,
          pauseAfterFailures,
          status: status ?? row.status,
          pausedReason: resumed ? null : paused ? 'user' : row.pausedReason,
        };
        checkTrigger(after);
        await updateTrigger(tx, id, after, resumed);
        await writeAudit(tx, {
          action: paused ? 'trigger.paused' : 'trigger.updated',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          before: settingsOf(row),
          after: settingsOf(after),
        });
      });
      return one(id);
    },

    async remove(actor, id) {
      const own = await findToChange(actor, id);
      await changed(own, async (tx, row) => {
        await deleteTrigger(tx, id);
        await writeAudit(tx, {
          action: 'trigger.deleted',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          before: settingsOf(row),
        });
      });
      return { deleted: true, id };
    },

    async rotate(actor, id, { gracePeriodHours }) {
      const own = await findToChange(actor, id);
      const { secret, stored } = newTriggerSecret(masterKeys, own);
      const until = await changed(own, async (tx, row) => {
        const old = await endTriggerSecrets(tx, id, gracePeriodHours);
        if (old.count >= MAX_SECRETS) {
          const message = `This trigger still has ${old.count} earlier secrets. Rotate again when they have ended, or create a new trigger.`;
          throw new ServiceError('CONFLICT', message);
        }
        await insertTriggerSecret(tx, { ...stored, id: newId('tsec'), triggerId: id });
        await writeAudit(tx, {
          action: 'trigger.secret_rotated',
          actor: auditActorOf(actor),
          teamId: row.teamId,
          target: id,
          after: { gracePeriodHours },
        });
        return old.until;
      });
      return { id, url: urlOf(id), secret, oldSecretUntil: until.toISOString() };
    },

    async test(identity, id, { event, values }) {
      const row = await findToChange(identity, id);
      const name = row.kind === 'url' ? 'call' : (event ?? row.events[0]!);
      if (row.kind === 'url') {
        const odd = Object.keys(values).find((key) => !isCallValue(key));
        if (odd !== undefined) throw invalid('values', 'custom', `values must be like values.name`);
      }
      return { event: name, work: workOfEvent(row, sampleEvent(row, name, values)) };
    },

    async deliveries(identity, id, { limit, before }) {
      await findOwn(identity, id);
      const rows = await listTriggerDeliveries(db, id, { limit: limit + 1, before });
      return { ...pageOf(rows, limit, (row) => row), limit };
    },

    async replay(actor, id, deliveryId) {
      const own = await findToChange(actor, id);
      const facts = TRIGGER_DELIVERY_ID_PATTERN.test(deliveryId)
        ? await findFacts(db, id, deliveryId)
        : undefined;
      if (facts === undefined) {
        throw new ServiceError('NOT_FOUND', 'The trigger has no delivery with this id.');
      }
      if (facts === null) {
        throw new ServiceError('CONFLICT', 'Nothing of this delivery could be read.');
      }
      const pending = collectSignals();
      const { id: replayed, ...rest } = await changed(own, (tx, row) => {
        const read = { kind: 'event' as const, event: facts };
        return startOfEvent(tx, pending, row, { read, digest: null, replayOf: deliveryId });
      });
      pending.sendBy(signals);
      return { deliveryId: replayed, ...rest, repeated: false };
    },
  };
}
