// The settings of how the database is reached, and what is expected of it: part of the table in settings.ts.
import { z } from 'zod';
import { count } from './setting-values.ts';

/**
 * `sslmode` means what it means to psql and every other client of PostgreSQL; by itself the driver takes `require` for
 * `verify-full` and refuses the certificate that most servers make for themselves.
 */
function withUsualTls(url: string): string {
  const [address = '', query = ''] = url.split('?', 2);
  const given = new URLSearchParams(query);
  const mode = given.get('sslmode');
  if (mode === null || mode === 'no-verify' || given.has('uselibpqcompat')) return url;
  given.set('uselibpqcompat', 'true');
  return `${address}?${given.toString()}`;
}

const POSTGRES_URL = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
  .refine((url) => !url.includes('sslmode=verify-ca') || url.includes('sslrootcert='), {
    message: 'needs sslrootcert with sslmode=verify-ca: the file of the certificate authority',
  })
  .transform(withUsualTls);

export const DATABASE_SETTINGS = {
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: '--database-url',
    unset: 'none (the embedded PostgreSQL)',
    description: 'Connection string of your own PostgreSQL 14 or newer.',
    schema: POSTGRES_URL,
  },
  databaseDirectUrl: {
    env: 'DATABASE_DIRECT_URL',
    unset: 'DATABASE_URL',
    description:
      'Direct connection string for notifications, locks and migrations, if DATABASE_URL points to a transaction pooler. Without it, such a server polls.',
    schema: POSTGRES_URL,
  },
  databasePrepare: {
    env: 'MILLRACE_DATABASE_PREPARE',
    default: 'auto',
    description:
      'Prepared statements: `on`, `off`, or `auto` to turn them off if DATABASE_URL points to a pooler in transaction mode.',
    schema: z.enum(['auto', 'on', 'off']),
  },
  databaseSignals: {
    env: 'MILLRACE_DATABASE_SIGNALS',
    default: 'auto',
    description:
      'How servers hear of each other: `notify` (at once, needs a session of its own), `poll` (within a second, works everywhere), or `auto` to test it when the server starts.',
    schema: z.enum(['auto', 'notify', 'poll']),
  },
  databaseLiveness: {
    env: 'MILLRACE_DATABASE_LIVENESS',
    default: 'auto',
    description:
      'How a dead worker is noticed: `lock` (within 3 seconds, needs a session of its own), `lease` (within 9 seconds, works everywhere), or `auto` to test it when the server starts.',
    schema: z.enum(['auto', 'lock', 'lease']),
  },
  databaseSilenceSeconds: {
    env: 'MILLRACE_DATABASE_SILENCE_SECONDS',
    default: '8',
    description:
      'How long a worker may be unable to reach the database before other workers run its jobs. Requests are refused after about half of this time. Raise it where machines or the database stand still for seconds.',
    schema: count(8, 120),
  },
  databasePoolSize: {
    env: 'MILLRACE_DATABASE_POOL_SIZE',
    default: '8',
    description:
      'Size of the connection pool of each process. A process uses three more connections besides.',
    schema: count(2, 100),
  },
} as const;
