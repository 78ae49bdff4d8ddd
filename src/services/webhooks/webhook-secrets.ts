// Secrets that sign webhooks: made here, stored sealed.
import { randomBytes } from 'node:crypto';
import { open, seal } from '../../platform/envelope.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import { webhookSecretBinding } from '../../store/accounts/sealed-secrets.ts';
import type { NewWebhook } from '../../store/webhooks/webhooks.ts';

const SECRET_BYTES = 32;

export interface NewSecret {
  secret: string;
  sealed: string;
}

export function newWebhookSecret(masterKeys: MasterKeys, webhookId: string): NewSecret {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, sealed: seal(masterKeys, secret, webhookSecretBinding(webhookId)) };
}

export function openWebhookSecret(
  masterKeys: MasterKeys,
  webhook: { id: string; sealedSecret: string },
): string {
  return open(masterKeys, webhook.sealedSecret, webhookSecretBinding(webhook.id));
}

/**
 * The webhook of an address that was given for one execution: to be inserted (`insertWebhook`) in
 * the transaction that creates the execution, before its first event. The URL must have passed
 * `checkedTarget`. The secret belongs into the reply.
 */
export function newExecutionWebhook(
  masterKeys: MasterKeys,
  target: {
    userId: string;
    teamId: string;
    apiKeyId: string | null;
    executionId: string;
    url: string;
  },
): { webhook: NewWebhook; secret: string } {
  const id = newId('wh');
  const { secret, sealed } = newWebhookSecret(masterKeys, id);
  return {
    webhook: { ...target, id, events: ['*'], description: null, sealedSecret: sealed },
    secret,
  };
}
