// All secrets that are sealed with a master key, wherever they stand.
import type { Db, Queryable } from '../postgres/db.ts';

export interface SealedSecret {
  place: 'provider_key' | 'job_key' | 'webhook_secret' | 'trigger_secret';
  /** The parts that are bound to the secret, as they were when it was sealed. */
  binding: string[];
  sealed: string;
}

/** `ownerId` is a user or a team: their ids differ in how they begin. */
export function providerKeyBinding(ownerId: string, provider: string): string[] {
  return ['provider-key', ownerId, provider];
}

export function jobKeyBinding(jobId: string): string[] {
  return ['job-key', jobId];
}

export function webhookSecretBinding(webhookId: string): string[] {
  return ['webhook-secret', webhookId];
}

export function triggerSecretBinding(triggerId: string): string[] {
  return ['trigger-secret', triggerId];
}

const EXAMPLES = 5;

/** All secrets of a webhook while they are being changed. */
const WEBHOOK_SECRETS = `(
  select id, sealed_secret as sealed from webhooks union all
  select webhook_id, sealed_secret from webhook_old_secrets)`;

/** Of those that sign; a URL has a hash alone. */
const TRIGGER_SECRETS = `(
  select trigger_id as id, sealed_secret as sealed from trigger_secrets
  where sealed_secret is not null)`;

/** Those of users and of teams. */
const PROVIDER_KEYS = `(
  select user_id as owner_id, provider, sealed, master_key_id from provider_keys union all
  select team_id, provider, sealed, master_key_id from team_provider_keys)`;

interface KeyRow {
  owner_id: string;
  provider: string;
  sealed: string;
}

interface JobRow {
  id: string;
  sealed_key: string;
}

/** Of a webhook or a trigger. */
interface WebhookRow {
  id: string;
  sealed: string;
}

interface SecretRows {
  triggers: readonly WebhookRow[];
  keys: readonly KeyRow[];
  jobs: readonly JobRow[];
  webhooks: readonly WebhookRow[];
}

function toSecrets({ keys, jobs, webhooks, triggers }: SecretRows): SealedSecret[] {
  return [
    ...keys.map((row): SealedSecret => ({
      place: 'provider_key',
      binding: providerKeyBinding(row.owner_id, row.provider),
      sealed: row.sealed,
    })),
    ...jobs.map((row): SealedSecret => ({
      place: 'job_key',
      binding: jobKeyBinding(row.id),
      sealed: row.sealed_key,
    })),
    ...webhooks.map((row): SealedSecret => ({
      place: 'webhook_secret',
      binding: webhookSecretBinding(row.id),
      sealed: row.sealed,
    })),
    ...triggers.map((row): SealedSecret => ({
      place: 'trigger_secret',
      binding: triggerSecretBinding(row.id),
      sealed: row.sealed,
    })),
  ];
}

/** A few examples for each master key that is in use: one of them may be damaged. */
export async function listSealedExamples(db: Queryable): Promise<SealedSecret[]> {
  const keys = await db.query<KeyRow>(
    `select owner_id, provider, sealed from (
       select *, row_number() over (partition by split_part(sealed, '.', 2)) as nth
       from ${PROVIDER_KEYS} keys) numbered
     where nth <= ${EXAMPLES}`,
  );
  const jobs = await db.query<JobRow>(
    `select id, sealed_key from (
       select id, sealed_key, row_number() over (partition by split_part(sealed_key, '.', 2)) as nth
       from jobs where sealed_key is not null) numbered
     where nth <= ${EXAMPLES}`,
  );
  const webhooks = await db.query<WebhookRow>(
    `select id, sealed from (
       select id, sealed, row_number() over (partition by split_part(sealed, '.', 2)) as nth
       from ${WEBHOOK_SECRETS} secrets) numbered
     where nth <= ${EXAMPLES}`,
  );
  const triggers = await db.query<WebhookRow>(
    `select id, sealed from (
       select id, sealed, row_number() over (partition by split_part(sealed, '.', 2)) as nth
       from ${TRIGGER_SECRETS} secrets) numbered
     where nth <= ${EXAMPLES}`,
  );
  return toSecrets({
    keys: keys.rows,
    jobs: jobs.rows,
    webhooks: webhooks.rows,
    triggers: triggers.rows,
  });
}

export async function listAllSealed(db: Queryable): Promise<SealedSecret[]> {
  const keys = await db.query<KeyRow>(
    `select owner_id, provider, sealed from ${PROVIDER_KEYS} keys`,
  );
  const jobs = await db.query<JobRow>(
    'select id, sealed_key from jobs where sealed_key is not null',
  );
  const webhooks = await db.query<WebhookRow>(`select id, sealed from ${WEBHOOK_SECRETS} secrets`);
  const triggers = await db.query<WebhookRow>(`select id, sealed from ${TRIGGER_SECRETS} secrets`);
  return toSecrets({
    keys: keys.rows,
    jobs: jobs.rows,
    webhooks: webhooks.rows,
    triggers: triggers.rows,
  });
}

/** Some secrets that are not under `masterKeyId`. */
export async function listSealedOtherwise(
  db: Queryable,
  masterKeyId: string,
  limit: number,
): Promise<SealedSecret[]> {
  const keys = await db.query<KeyRow>(
    `select owner_id, provider, sealed from ${PROVIDER_KEYS} keys
     where master_key_id <> $1 limit $2`,
    [masterKeyId, limit],
  );
  const jobs = await db.query<JobRow>(
    `select id, sealed_key from jobs
     where sealed_key is not null and split_part(sealed_key, '.', 2) <> $1 limit $2`,
    [masterKeyId, limit],
  );
  const webhooks = await db.query<WebhookRow>(
    `select id, sealed from ${WEBHOOK_SECRETS} secrets
     where split_part(sealed, '.', 2) <> $1 limit $2`,
    [masterKeyId, limit],
  );
  const triggers = await db.query<WebhookRow>(
    `select id, sealed from ${TRIGGER_SECRETS} secrets
     where split_part(sealed, '.', 2) <> $1 limit $2`,
    [masterKeyId, limit],
  );
  return toSecrets({
    keys: keys.rows,
    jobs: jobs.rows,
    webhooks: webhooks.rows,
    triggers: triggers.rows,
  });
}

/** Stands where a secret was: no master key opens it, and none is missing for it. */
const DISCARDED = 'discarded';

export interface DiscardedSecrets {
  providerKeys: number;
  /** Webhooks that cannot sign before their secret is rotated. */
  webhooks: number;
  /** Secrets of triggers that take no webhooks of a forge before they are rotated. */
  triggers: number;
  /** Jobs that waited with a key of their own, and fail. */
  jobs: number;
}

/** Forgets every secret under these master keys. */
export async function discardSealed(
  db: Queryable,
  masterKeyIds: readonly string[],
): Promise<DiscardedSecrets> {
  const count = async (text: string) => (await db.query(text, [masterKeyIds])).rowCount ?? 0;
  const isLost = (column: string) => `split_part(${column}, '.', 2) = any($1)`;
  const providerKeys =
    (await count(`delete from provider_keys where ${isLost('sealed')}`)) +
    (await count(`delete from team_provider_keys where ${isLost('sealed')}`));
  await count(`delete from webhook_old_secrets where ${isLost('sealed_secret')}`);
  const webhooks = await count(
    `update webhooks set sealed_secret = '${DISCARDED}' where ${isLost('sealed_secret')}`,
  );
  const triggers = await count(`delete from trigger_secrets where ${isLost('sealed_secret')}`);
  const jobs = await count(
    `update jobs set sealed_key = '${DISCARDED}' where ${isLost('sealed_key')}`,
  );
  return { providerKeys, webhooks, triggers, jobs };
}

/** Replaces the wrapping, unless the secret itself was replaced or erased meanwhile. */
export async function updateSealed(
  db: Db,
  secret: SealedSecret,
  next: { sealed: string; masterKeyId: string },
): Promise<void> {
  if (secret.place === 'job_key') {
    await db.query('update jobs set sealed_key = $3 where id = $1 and sealed_key = $2', [
      secret.binding[1],
      secret.sealed,
      next.sealed,
    ]);
    return;
  }
  if (secret.place === 'trigger_secret') {
    await db.query(
      `update trigger_secrets set sealed_secret = $3 where trigger_id = $1 and sealed_secret = $2`,
      [secret.binding[1], secret.sealed, next.sealed],
    );
    return;
  }
  if (secret.place === 'webhook_secret') {
    await db.query('update webhooks set sealed_secret = $3 where id = $1 and sealed_secret = $2', [
      secret.binding[1],
      secret.sealed,
      next.sealed,
    ]);
    await db.query(
      `update webhook_old_secrets set sealed_secret = $3
       where webhook_id = $1 and sealed_secret = $2`,
      [secret.binding[1], secret.sealed, next.sealed],
    );
    return;
  }
  const values = [
    secret.binding[1],
    secret.binding[2],
    secret.sealed,
    next.sealed,
    next.masterKeyId,
  ];
  for (const [table, owner] of [
    ['provider_keys', 'user_id'],
    ['team_provider_keys', 'team_id'],
  ]) {
    await db.query(
      `update ${table} set sealed = $4, master_key_id = $5
       where ${owner} = $1 and provider = $2 and sealed = $3`,
      values,
    );
  }
}
