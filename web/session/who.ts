// Whose cookie the browser has now. All that the worker has of a person is this.
import { sessionFetch } from '../api/session-fetch.ts';

export type SignedIn =
  | { kind: 'person'; userId: string }
  | { kind: 'nobody' }
  | { kind: 'unreachable' };

const PATIENCE_MS = 15_000;

export async function whoIsSignedIn(): Promise<SignedIn> {
  try {
    const response = await sessionFetch('/api/v1/auth/me', {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status === 401) return { kind: 'nobody' };
    if (!response.ok) return { kind: 'unreachable' };
    const { user } = (await response.json()) as { user: { id: string } };
    return { kind: 'person', userId: user.id };
  } catch {
    return { kind: 'unreachable' };
  }
}
