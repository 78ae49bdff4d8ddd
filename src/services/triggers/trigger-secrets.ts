// Secrets of triggers. Those of a URL are compared, so their hash is enough; those that sign are needed themselves.
import { randomBytes } from 'node:crypto';
import type { TriggerKind } from '../../contract/trigger-api.ts';
import { open, seal } from '../../platform/envelope.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { hashSecretToken, newSecretToken } from '../../platform/secret-token.ts';
import { triggerSecretBinding } from '../../store/accounts/sealed-secrets.ts';
import type { TriggerSecret } from '../../store/triggers/triggers.ts';

const SECRET_BYTES = 32;

/** GitLab signs with what is behind the prefix, as Standard Webhooks do; GitHub with the whole text. */
export function newTriggerSecret(
  masterKeys: MasterKeys,
  { id, kind }: { id: string; kind: TriggerKind },
): { secret: string; stored: TriggerSecret } {
  if (kind === 'url') {
    const secret = newSecretToken('tg');
    return { secret, stored: { tokenHash: hashSecretToken(secret), sealedSecret: null } };
  }
  const secret =
    kind === 'github'
      ? newSecretToken('tg')
      : `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const sealedSecret = seal(masterKeys, secret, triggerSecretBinding(id));
  return { secret, stored: { tokenHash: null, sealedSecret } };
}

export function openTriggerSecrets(
  masterKeys: MasterKeys,
  id: string,
  secrets: readonly TriggerSecret[],
): string[] {
  return secrets.flatMap(({ sealedSecret }) =>
    sealedSecret === null ? [] : [open(masterKeys, sealedSecret, triggerSecretBinding(id))],
  );
}
