// Ends a sign-in on its server.
import { createCalls } from '../../../client/calls.ts';
import { MillraceError } from '../../../client/index.ts';

/** False when the server could not be asked; one that no longer knows the sign-in has ended it. */
export async function endSignIn(url: string, token: string): Promise<boolean> {
  try {
    await createCalls(url, token, { maxRetries: 1 }).send('POST', '/api/v1/auth/logout');
    return true;
  } catch (error) {
    return error instanceof MillraceError && error.status === 401;
  }
}
