// Passwords at rest: argon2id. A hash takes 19 MB and tens of milliseconds of a core, so only a few are
// made at a time, some more wait, and the rest are turned away: a flood of sign-ins must not take the
// memory and the threads that everything else needs.
import { hash, verify } from '@node-rs/argon2';

export interface PasswordHasher {
  /** Throws HashingBusyError when too many wait already. */
  hash(password: string): Promise<string>;
  /** Takes as long when there is no hash to compare with, and is false then. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

export class HashingBusyError extends Error {
  constructor() {
    super('Too many passwords are being checked at the same time');
    this.name = 'HashingBusyError';
  }
}

/** The first choice of OWASP's list for argon2id with little memory. */
const OPTIONS = {
  // argon2id: the package's own name for it is an enum, which is gone once its types are.
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Of the four threads that Node has for such work, two stay free for files and names. */
const AT_ONCE = 2;
const MAX_WAITING = 20;

/** Of a text that nobody knows, made with the same options. */
const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$O21tQU4rjC7bHr1WSXaK/Q$FwHdl6I8T5xgCzajPdfruAKWKvVrAE07FFP+Q8WLgIM';

export function createPasswordHasher(): PasswordHasher {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= MAX_WAITING) throw new HashingBusyError();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next one directly: nobody who comes now can take it first.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password, OPTIONS)),
    async verify(password, stored) {
      const matches = await inTurn(() => verify(stored ?? NOBODYS, password));
      return matches && stored !== null;
    },
  };
}
