// Requests of people who are not signed in yet, or not for good: they act in no team.
import { call } from '../../api/client.ts';

/** Whatever signs in replaces the session that this browser may have: its other tabs wait for that. */
export function post<T>(path: string, body: unknown): Promise<T> {
  return call('POST', path, body, { replacesSession: true, isForTeam: false });
}

export interface Account {
  user: { email: string };
}

export function whoAmI(): Promise<Account> {
  return call('GET', '/api/v1/auth/me', undefined, { isForTeam: false });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
