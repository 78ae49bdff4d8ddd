// Who changes something, for the audit log.
import type { Identity } from './identity.ts';

/** A caller and where the request came from. */
export interface Actor extends Identity {
  address: string;
}

/** As the audit log keeps it. */
export interface AuditActor {
  /** Null: the operator on the machine of the server, or the server itself. */
  userId: string | null;
  credential: 'session' | 'device' | 'key' | 'request' | 'link' | 'operator' | 'system';
  /** Of the session or key. */
  credentialId: string | null;
  address: string | null;
}

export function auditActorOf({ userId, credential, address }: Actor): AuditActor {
  return { userId, credential: credential.kind, credentialId: credential.id, address };
}

/** A person who runs a command on the machine of the server. */
export const OPERATOR: AuditActor = {
  userId: null,
  credential: 'operator',
  credentialId: null,
  address: null,
};

/** What the server does by itself: retention, a payment that Stripe reported. */
export const SYSTEM: AuditActor = { ...OPERATOR, credential: 'system' };
