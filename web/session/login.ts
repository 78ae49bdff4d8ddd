import { MillraceError } from '../../src/client/index.ts';

export function isSignedOut(error: unknown): boolean {
  return error instanceof MillraceError && error.status === 401;
}

/** Signing in leads back to this page. */
export function goToLogin(): void {
  const here = location.pathname + location.search;
  location.assign(`/login?return=${encodeURIComponent(here)}`);
}
