import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whom PostgreSQL runs as: it refuses root. */
export interface ServiceUser {
  name: string;
  uid: number;
  gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/** Undefined when this process is not root and PostgreSQL can simply run as the same user. */
export function findServiceUser(clusterDir: string): ServiceUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = ownerOf(clusterDir);
  // A cluster only starts for the user who owns it.
  if (owner && owner.uid !== 0) return owner;
  const users = readUsers();
  for (const name of CANDIDATES) {
    const user = users.find((each) => each.name === name && each.uid !== 0);
    if (user) return user;
  }
  throw new Error(
    'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody". ' +
      'Run Millrace as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
  );
}

function ownerOf(path: string): ServiceUser | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { name: `uid ${stat.uid}`, uid: stat.uid, gid: stat.gid };
}

function readUsers(): ServiceUser[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** The first folder on the way to `path`, itself included, that the user may not walk through. */
export function firstClosedFolder(path: string, user: ServiceUser): string | undefined {
  const folders: string[] = [];
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  return folders.find((folder) => !mayEnter(folder, user));
}

function mayEnter(folder: string, user: ServiceUser): boolean {
  const { mode, uid, gid } = statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
