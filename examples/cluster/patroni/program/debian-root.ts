// Another Debian than that of this machine, in a folder: its Patroni and its PostgreSQL run instead of the ones that
// are installed. Made by `mmdebstrap --variant=minbase --include=patroni,postgresql trixie FOLDER`; as root only.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from '../../program/layout.ts';

export const DEBIAN_ROOT = process.env['CLUSTER_DEBIAN'];

// The folder of the cluster and that of the settings are at the same paths inside. What is mounted here goes with the
// process, because the name space of its mounts is its own.
const ENTER = `set -e
root=$1; user=$2; shift 2
for path in /proc /dev "$CLUSTER_FOLDER" "$CONFIG_FOLDER"; do
  mkdir -p "$root$path"
  mount --rbind "$path" "$root$path"
done
unset CLUSTER_FOLDER CONFIG_FOLDER
exec chroot --userspec="$user" "$root" "$@"`;

export interface User {
  uid: number;
  gid: number;
}

/** The user that its package of PostgreSQL has made. */
export function userOf(root: string): User {
  const users = readFileSync(join(root, 'etc/passwd'), 'utf8');
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined) throw new Error(`No user postgres in ${root}.`);
  return { uid: Number(uid), gid: Number(gid) };
}

export interface RootCommand {
  prefix: string[];
  env: Record<string, string>;
}

/** How a program of that Debian is started as this user; it stays the process that was started. */
export function enterRoot(root: string, { uid, gid }: User, configFolder: string): RootCommand {
  const enter = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', ENTER, 'sh'];
  return {
    prefix: [...enter, root, `${uid}:${gid}`],
    env: { CLUSTER_FOLDER: FOLDER, CONFIG_FOLDER: configFolder },
  };
}

/** The newest PostgreSQL that is installed there: its path as programs inside see it. */
export function postgresBinaries(root = DEBIAN_ROOT ?? '/'): string {
  const folder = '/usr/lib/postgresql';
  const installed = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  const newest = installed.toSorted((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error(`No PostgreSQL in ${join(root, folder)}.`);
  return join(folder, newest, 'bin');
}
