// The webhooks of a user.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { DELIVERY_ID_PATTERN, WEBHOOK_ID_PATTERN } from '../../contract/fields.ts';
import type {
  CreateWebhookRequest,
  CreatedWebhook,
  DeliveryPage,
  DeliveryQuery,
  QueuedDelivery,
  RotatedSecret,
  UpdateWebhookRequest,
  Webhook,
} from '../../contract/webhook-api.ts';
import { ALL_EVENTS } from '../../domain/webhook/webhook-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import { checkTarget } from '../../platform/target-guard.ts';
import type { TargetRules } from '../../platform/target-guard.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import { pageOf } from '../page.ts';
import type { Access } from '../access.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { listDeliveries, redeliver } from '../../store/webhooks/webhook-deliveries.ts';
import { emitTestEvent } from '../../store/webhooks/webhook-outbox.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhookCount,
  replaceSecret,
  updateWebhook,
} from '../../store/webhooks/webhooks.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import { newWebhookSecret, openWebhookSecret } from './webhook-secrets.ts';

export interface WebhookService {
  create(
    actor: Actor,
    request: CreateWebhookRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ webhook: CreatedWebhook; replayed: boolean }>;
  list(identity: Identity): Promise<Webhook[]>;
  find(identity: Identity, id: string): Promise<Webhook>;
  update(actor: Actor, id: string, request: UpdateWebhookRequest): Promise<Webhook>;
  remove(actor: Actor, id: string): Promise<{ deleted: true; id: string }>;
  rotateSecret(actor: Actor, id: string): Promise<RotatedSecret>;
  test(identity: Identity, id: string): Promise<QueuedDelivery>;
  deliveries(identity: Identity, id: string, query: DeliveryQuery): Promise<DeliveryPage>;
  redeliver(identity: Identity, id: string, deliveryId: string): Promise<QueuedDelivery>;
}

/** Every event of an execution is written once for each of them. */
const MAX_WEBHOOKS = 100;

/** The URL in its normal form; refuses what must not be called. */
export function checkedTarget(url: string, path: string, rules: TargetRules): string {
  const check = checkTarget(url, rules);
  if (check.kind === 'ok') return check.url;
  throw invalid(path, 'TARGET_NOT_ALLOWED', `The ${path} ${check.reason}.`);
}

function normalEvents(events: readonly string[]): string[] {
  return events.includes(ALL_EVENTS) ? [ALL_EVENTS] : [...new Set(events)];
}

function shown(row: WebhookRow): Webhook {
  const { id, url, events, format, description, status, disabledReason } = row;
  const createdAt = row.createdAt.toISOString();
  return { id, url, events, format, description, status, disabledReason, createdAt };
}

/** An address may carry a secret in its query or as a password. */
function settingsOf({
  url,
  events,
  format,
  status,
}: Pick<WebhookRow, 'url' | 'events' | 'format' | 'status'>) {
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}`, events, format, status };
}

const missing = () => new ServiceError('NOT_FOUND', 'There is no webhook with this id.');

function hashOf(request: CreateWebhookRequest): Buffer {
  const body = JSON.stringify(request);
  return createHash('sha256').update('POST /v1/webhooks\n').update(body).digest();
}

export function createWebhookService(deps: {
  db: Db;
  access: Access;
  signals: Signals;
  clock: Clock;
  masterKeys: MasterKeys;
  targets: TargetRules;
}): WebhookService {
  async function findOwn(identity: Identity, id: string): Promise<WebhookRow> {
    const row = WEBHOOK_ID_PATTERN.test(id) ? await findWebhook(deps.db, id) : undefined;
    if (row === undefined) throw missing();
    await deps.access.mayRead(identity, row, 'webhook');
    return row;
  }

  async function findToChange(identity: Identity, id: string): Promise<WebhookRow> {
    const row = await findOwn(identity, id);
    await deps.access.mayWrite(identity, row, 'webhook');
    return row;
  }

  async function findActive(identity: Identity, id: string): Promise<WebhookRow> {
    const row = await findToChange(identity, id);
    if (row.status === 'active') return row;
    throw new ServiceError(
      'CONFLICT',
      `The webhook is ${row.status}, so nothing is sent to it. Set its status to active first.`,
    );
  }

  async function createNew(identity: Actor, request: CreateWebhookRequest, key?: string) {
    const { userId, teamId } = identity;
    const id = newId('wh');
    const url = checkedTarget(request.url, 'url', deps.targets);
    const { secret, sealed } = newWebhookSecret(deps.masterKeys, id);
    return deps.db.tx(async (tx) => {
      // First: a request with the same key waits here for the outcome of the other.
      const count = await lockWebhookCount(tx, teamId);
      if (key !== undefined) {
        const use = { teamId, userId, key, bodyHash: hashOf(request), resourceId: id };
        const first = await takeIdempotencyKey(tx, use);
        if (first !== undefined) return { kind: 'replay' as const, id: first };
      }
      if (count >= MAX_WEBHOOKS) {
        const message = `You have reached the limit of ${MAX_WEBHOOKS} webhooks. Delete one first.`;
        throw new ServiceError('CONFLICT', message);
      }
      const row = await insertWebhook(tx, {
        id,
        userId,
        teamId,
        apiKeyId: apiKeyIdOf(identity),
        url,
        events: normalEvents(request.events),
        format: request.format,
        description: request.description ?? null,
        sealedSecret: sealed,
      });
      await writeAudit(tx, {
        action: 'webhook.created',
        actor: auditActorOf(identity),
        teamId,
        target: id,
        after: settingsOf(row),
      });
      return { kind: 'created' as const, webhook: { ...shown(row), secret } };
    });
  }

  return {
    async create(identity, request, key) {
      const outcome = await createNew(identity, request, key);
      if (outcome.kind === 'created') return { webhook: outcome.webhook, replayed: false };
      const row = await findWebhook(deps.db, outcome.id);
      if (row === undefined) {
        const message = 'The webhook created with this Idempotency-Key has been deleted.';
        throw new ServiceError('CONFLICT', message);
      }
      const secret = openWebhookSecret(deps.masterKeys, row);
      return { webhook: { ...shown(row), secret }, replayed: true };
    },

    list: async (identity) => (await listWebhooks(deps.db, identity.teamId)).map(shown),
    find: async (identity, id) => shown(await findOwn(identity, id)),

    async update(identity, id, request) {
      const before = await findToChange(identity, id);
      const { url, events, format, description, status } = request;
      const change = {
        url: url === undefined ? undefined : checkedTarget(url, 'url', deps.targets),
        events: events === undefined ? undefined : normalEvents(events),
        format,
        description,
        status,
      };
      const row = await deps.db.tx(async (tx) => {
        const after = await updateWebhook(tx, id, change);
        if (after === undefined) throw missing();
        await writeAudit(tx, {
          action: 'webhook.updated',
          actor: auditActorOf(identity),
          teamId: before.teamId,
          target: id,
          before: settingsOf(before),
          after: settingsOf(after),
        });
        return after;
      });
      // What waited while it was paused is due.
      if (status === 'active') deps.signals.emit('webhooks');
      return shown(row);
    },

    async remove(identity, id) {
      const before = await findToChange(identity, id);
      await deps.db.tx(async (tx) => {
        if (!(await deleteWebhook(tx, id))) throw missing();
        await writeAudit(tx, {
          action: 'webhook.deleted',
          actor: auditActorOf(identity),
          teamId: before.teamId,
          target: id,
          before: settingsOf(before),
        });
      });
      return { deleted: true, id };
    },

    async rotateSecret(identity, id) {
      const { teamId } = await findToChange(identity, id);
      const { secret, sealed } = newWebhookSecret(deps.masterKeys, id);
      const replaced = await deps.db.tx(async (tx) => {
        const outcome = await replaceSecret(tx, id, sealed);
        if (outcome?.kind === 'replaced') {
          const actor = auditActorOf(identity);
          await writeAudit(tx, { action: 'webhook.secret_rotated', actor, teamId, target: id });
        }
        return outcome;
      });
      if (replaced === undefined) throw missing();
      const until = replaced.until.toISOString();
      if (replaced.kind === 'replaced') return { id, secret, oldSecretUntil: until };
      const message = `This webhook still has ${replaced.count} earlier secrets. Rotate again after ${until}, or create a new webhook.`;
      throw new ServiceError('CONFLICT', message);
    },

    async test(identity, id) {
      const row = await findActive(identity, id);
      const queued = await emitTestEvent(deps.db, row, new Date(deps.clock.now()));
      deps.signals.emit('webhooks');
      return queued;
    },

    async deliveries(identity, id, { limit, before }) {
      await findOwn(identity, id);
      const rows = await listDeliveries(deps.db, id, { limit: limit + 1, before });
      const show = (row: (typeof rows)[number]) => ({
        ...row,
        createdAt: row.createdAt.toISOString(),
        nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
      });
      return { ...pageOf(rows, limit, show), limit };
    },

    async redeliver(identity, id, deliveryId) {
      await findActive(identity, id);
      const found = DELIVERY_ID_PATTERN.test(deliveryId)
        ? await redeliver(deps.db, id, deliveryId)
        : undefined;
      if (found === undefined) {
        throw new ServiceError('NOT_FOUND', 'The webhook has no delivery with this id.');
      }
      deps.signals.emit('webhooks');
      return { deliveryId, eventId: found.eventId };
    },
  };
}
