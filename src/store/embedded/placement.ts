import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServiceUser } from './service-user.ts';
import { firstClosedFolder } from './service-user.ts';
import { checkFolder, dataFolder, makeFolder, withFolder } from '../../platform/make-folder.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';

/** Everything the embedded database has on disk. */
export interface Layout {
  dataDir: string;
  /** Where PostgreSQL's own files are: the data folder, unless its user cannot get there. */
  home: string;
  clusterDir: string;
  passwordFile: string;
  logFile: string;
}

/** Of the PostgreSQL that comes with this release. */
export const MAJOR_VERSION = 18;
// The major version is part of the name: a later PostgreSQL cannot open this cluster.
const CLUSTER = `postgres-${MAJOR_VERSION}`;
const ELSEWHERE = '/var/lib/millrace';

/** The layout as it is on disk, without making anything. */
export function readLayout(folder: string): Layout {
  const dataDir = resolve(folder);
  return layoutAt(dataDir, readPointer(dataDir) ?? dataDir);
}

function layoutAt(dataDir: string, home: string): Layout {
  return {
    dataDir,
    home,
    clusterDir: join(home, CLUSTER),
    passwordFile: join(dataDir, 'postgres.password'),
    logFile: join(dataDir, 'postgres.log'),
  };
}

/**
 * Makes the data folder: closed to everybody else, or, as root, closed but for passing through,
 * which the database's user needs. A folder that is there already keeps its mode.
 */
export function makeDataFolder(folder: string): void {
  const dataDir = resolve(folder);
  checkFolder(dataFolder(dataDir));
  withFolder(dataFolder(dataDir), () => {
    if (existsSync(dataDir)) return;
    makeFolder(dataDir);
    // Not as an argument of mkdir, where the umask would have a say.
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  });
}

function isGone({ home, dataDir }: Layout): boolean {
  return home !== dataDir && !existsSync(home);
}

/** The database was stored elsewhere, and was removed there. */
export function isDatabaseGone(folder: string): boolean {
  return isGone(readLayout(folder));
}

/**
 * Picks a place for the cluster that its user can reach. Root's data folder is often under /root,
 * which nobody else may enter; opening that up is not ours to do, so the cluster then lives below
 * /var/lib and a file in the data folder says where.
 */
export function placeCluster(
  layout: Layout,
  user: ServiceUser | undefined,
  log: (message: string) => void,
): Layout {
  if (isGone(layout)) {
    throw new Error(
      `The database of ${layout.dataDir} was stored in ${layout.home}, which is gone. Restore that ` +
        `folder, or remove ${layout.dataDir} to start with an empty database.`,
    );
  }
  if (!user || layout.home !== layout.dataDir) return layout;
  const closed = firstClosedFolder(layout.dataDir, user);
  if (closed === undefined) return layout;
  const { mode, uid } = statSync(layout.dataDir);
  if (uid === 0 && firstClosedFolder(dirname(layout.dataDir), user) === undefined) {
    chmodSync(layout.dataDir, (mode & 0o777) | 0o001);
    return layout;
  }
  if (existsSync(layout.clusterDir)) {
    // A new and empty database elsewhere would look like lost data.
    throw new Error(
      `The database in ${layout.clusterDir} runs as ${user.name}, who can no longer access it ` +
        `because ${closed} is closed to other users. Allow them to pass: chmod o+x ${closed}`,
    );
  }
  makeFolder(ELSEWHERE);
  chmodSync(ELSEWHERE, 0o711);
  const home = mkdtempSync(join(ELSEWHERE, 'data-'));
  chmodSync(home, 0o711);
  writeFileSync(pointerFile(layout.dataDir), `${home}\n`, { mode: 0o600 });
  log(`User ${user.name} cannot access ${layout.dataDir}; the database is stored in ${home}.`);
  return layoutAt(layout.dataDir, home);
}

/** The database was made by another major version of PostgreSQL, whose files this one cannot read. */
export class OtherMajorVersionError extends Error {
  readonly code = 'DATABASE_OTHER_VERSION';
  readonly exit = 'failed';

  constructor(clusterDir: string, found: string) {
    super(
      `The database in ${clusterDir} was made by PostgreSQL ${found}, but this release of Millrace comes with ` +
        `PostgreSQL ${MAJOR_VERSION}. Run "${plainCommand('backup', 'FILE')}" with the release you used before, move ` +
        `${clusterDir} away, and run "${plainCommand('restore', 'FILE')}" with this release.`,
    );
    this.name = 'OtherMajorVersionError';
  }
}

/** Before anything is made or started: an empty database beside the old one would look like lost data. */
export function checkMajorVersion({ home, clusterDir }: Layout): void {
  const own = readMajorVersion(clusterDir);
  if (own === String(MAJOR_VERSION)) return;
  if (own !== undefined) throw new OtherMajorVersionError(clusterDir, own);
  if (!existsSync(home)) return;
  for (const name of readdirSync(home)) {
    if (!/^postgres-\d+$/.test(name) || name === CLUSTER) continue;
    const found = readMajorVersion(join(home, name));
    if (found !== undefined) throw new OtherMajorVersionError(join(home, name), found);
  }
}

function readMajorVersion(clusterDir: string): string | undefined {
  try {
    return readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function pointerFile(dataDir: string): string {
  return join(dataDir, 'postgres.location');
}

function readPointer(dataDir: string): string | undefined {
  try {
    return readFileSync(pointerFile(dataDir), 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
