// Who is calling, in which team, and what they may do there.
import { PERMISSIONS, REQUEST_SCOPES } from '../../contract/permissions.ts';
import type { Action, Role, Scope } from '../../contract/permissions.ts';
import type { Tier } from '../job/tiers.ts';
import { hasScope } from './scopes.ts';

export type Credential =
  | {
      kind: 'key';
      id: string;
      scopes: readonly string[];
      /** The key was made for one team and acts in no other. */
      ownTeamOnly: boolean;
    }
  | { kind: 'session'; id: string }
  /** A command line that a user has signed in. */
  | { kind: 'device'; id: string }
  /** The run that a runner makes for a request, as the person who asked for it. */
  | { kind: 'request'; id: string };

export interface Identity {
  userId: string;
  /** The team that the request acts in: it owns what is made, and pays. */
  teamId: string;
  role: Role;
  tier: Tier;
  /** A rate agreed with this user alone; null means the tier's own. */
  requestsPerMinute: number | null;
  credential: Credential;
  /** When the key or session expires, on the steady clock of this process; undefined when it does not. */
  endsAtMs?: number;
}

export function apiKeyIdOf({ credential }: Identity): string | null {
  return credential.kind === 'key' ? credential.id : null;
}

export function may(role: Role, action: Action): boolean {
  return PERMISSIONS[role].includes(action);
}

/** It acts in the team it was made for, and in no other. */
export function isBoundToTeam({ credential }: Identity): boolean {
  return credential.kind === 'request' || (credential.kind === 'key' && credential.ownTeamOnly);
}

/** People who are signed in are limited by their role only. */
export function isWithinScope({ credential }: Identity, scope: Scope): boolean {
  if (credential.kind === 'request') return REQUEST_SCOPES.includes(scope);
  return credential.kind !== 'key' || hasScope(credential.scopes, scope);
}
