// Passwords as people choose and type them.
import { ServiceError, invalid } from '../../contract/errors.ts';
import {
  PASSWORD_PROBLEMS,
  normalPassword,
  passwordProblem,
} from '../../domain/accounts/password-rules.ts';
import { HashingBusyError } from '../../platform/password-hash.ts';
import type { PasswordHasher } from '../../platform/password-hash.ts';

export interface Passwords {
  /** Refuses one that is easy to guess. `path` is the field that it came in. */
  checkNew(password: string, email: string, path: string): void;
  /** Checks it, too. */
  hashNew(password: string, email: string, path: string): Promise<string>;
  /** As slow without a stored hash, and false then. */
  matches(password: string, stored: string | null): Promise<boolean>;
}

async function unlessBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HashingBusyError)) throw error;
    const message = 'Too many people are signing in at the same time. Try again.';
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1, cause: error });
  }
}

export function createPasswords(hasher: PasswordHasher): Passwords {
  function checkNew(password: string, email: string, path: string): void {
    const problem = passwordProblem(password, email);
    if (problem !== undefined) throw invalid(path, problem, PASSWORD_PROBLEMS[problem]);
  }

  return {
    checkNew,
    async hashNew(password, email, path) {
      checkNew(password, email, path);
      return unlessBusy(hasher.hash(normalPassword(password)));
    },
    matches: (password, stored) => unlessBusy(hasher.verify(normalPassword(password), stored)),
  };
}
