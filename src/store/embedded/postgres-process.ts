import type { ServiceUser } from './service-user.ts';

export interface PostgresProcess {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
}

/**
 * How PostgreSQL's programs are run. Their environment is bare: ours holds API keys, and variables
 * such as PGDATA or LC_ALL would change what they do. Their folder is one that every user has,
 * because they fail in one that they cannot read.
 */
export function postgresProcess(user: ServiceUser | undefined): PostgresProcess {
  const shared = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
  return user ? { ...shared, uid: user.uid, gid: user.gid } : shared;
}
