// The key that a call goes out with: the caller's own, else the one of its user, of its team, or of the operator.
import { hash } from 'node:crypto';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import { CallRefusal } from './refusal.ts';
import type { Caller } from './caller.ts';

export interface CallKey {
  /** Undefined for a server that needs none. */
  value: string | undefined;
  paceKey: string;
  /** What the vendor keeps under it is not this caller's alone. */
  isShared: boolean;
  report(accepted: boolean): Promise<void>;
}

export interface StoredKeys {
  find(owner: {
    id: string;
    userId: string;
    teamId: string;
    provider: string;
  }): Promise<{ kind: 'found'; key: CallKey } | { kind: 'missing' } | { kind: 'unusable' }>;
}

export async function keyOf(
  keys: StoredKeys,
  {
    caller,
    provider,
    providerKey,
    callId,
  }: {
    caller: Caller;
    provider: PublicProvider;
    providerKey: string | undefined;
    callId: string;
  },
): Promise<CallKey> {
  if (providerKey !== undefined) {
    return {
      value: providerKey,
      paceKey: hash('sha256', `${provider} ${providerKey}`, 'hex').slice(0, 24),
      isShared: false,
      report: async () => undefined,
    };
  }
  const { userId, teamId } = caller;
  const found = await keys.find({ id: callId, userId, teamId, provider });
  if (found.kind === 'found') return found.key;
  const message =
    found.kind === 'missing'
      ? `There is no key for ${provider}. Store one with POST /api/v1/keys, or send it as X-Provider-Key.`
      : `The stored key for ${provider} cannot be decrypted. Store it again.`;
  throw new CallRefusal('invalid', message);
}
