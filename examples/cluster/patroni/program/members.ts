// The members of the PostgreSQL cluster, and what they need: etcd, which knows who the primary is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, chownSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../../program/keep-running.ts';
import { FIRST_PORT, FOLDER } from '../../program/layout.ts';

export const FOLDER_OF_DATABASES = join(FOLDER, 'patroni');
export const PRIMARY_PORT = FIRST_PORT + 10;
export const POOLER_PORT = FIRST_PORT + 11;
const ETCD_PORT = FIRST_PORT + 12;
const ETCD_PEER_PORT = FIRST_PORT + 13;

export interface Member {
  name: string;
  port: number;
  apiPort: number;
}

export const MEMBERS: readonly Member[] = [
  { name: 'pg-1', port: FIRST_PORT + 14, apiPort: FIRST_PORT + 15 },
  { name: 'pg-2', port: FIRST_PORT + 16, apiPort: FIRST_PORT + 17 },
];

export const CONFIG_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const dataFolderOf = ({ name }: Member) => join(FOLDER_OF_DATABASES, name, 'data');

/** PostgreSQL does not run as root: Debian's package has made a user for it. */
export function databaseUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const user = databaseUser();
  if (user) chownSync(path, user.uid, user.gid);
}

/** The newest PostgreSQL that is installed. */
function binaries(): string {
  const folder = '/usr/lib/postgresql';
  const newest = readdirSync(folder).toSorted((a, b) => Number(b) - Number(a))[0]!;
  return join(folder, newest, 'bin');
}

export function etcd(): Program {
  const url = `http://127.0.0.1:${ETCD_PORT}`;
  const peers = `http://127.0.0.1:${ETCD_PEER_PORT}`;
  const data = join(FOLDER_OF_DATABASES, 'etcd');
  makeFolder(data);
  return {
    name: 'etcd',
    command: 'etcd',
    args: [
      '--name=etcd',
      `--data-dir=${data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=etcd=${peers}`,
    ],
    // Debian's etcd asks for this on arm64.
    env: { PATH: process.env['PATH'], ETCD_UNSUPPORTED_ARCH: process.arch },
    user: databaseUser(),
  };
}

export function patroni(member: Member, password: string): Program {
  const folder = join(FOLDER_OF_DATABASES, member.name);
  makeFolder(folder);
  const api = `127.0.0.1:${member.apiPort}`;
  const address = `127.0.0.1:${member.port}`;
  return {
    name: member.name,
    command: 'patroni',
    args: [join(CONFIG_FOLDER, 'patroni.yml')],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      PATRONI_NAME: member.name,
      PATRONI_RESTAPI_LISTEN: api,
      PATRONI_RESTAPI_CONNECT_ADDRESS: api,
      PATRONI_ETCD3_HOST: `127.0.0.1:${ETCD_PORT}`,
      PATRONI_POSTGRESQL_LISTEN: address,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
      PATRONI_POSTGRESQL_DATA_DIR: dataFolderOf(member),
      PATRONI_POSTGRESQL_BIN_DIR: binaries(),
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: password,
      PATRONI_REWIND_USERNAME: 'rewinder',
      PATRONI_REWIND_PASSWORD: password,
    },
    user: databaseUser(),
  };
}

/** What Patroni says of a member: 200 for what it is. */
async function answers({ apiPort }: Member, role: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${apiPort}/${role}`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

export async function findMember(role: 'primary' | 'synchronous'): Promise<Member | undefined> {
  for (const member of MEMBERS) if (await answers(member, role)) return member;
  return undefined;
}

export function postmasterOf(member: Member): number {
  return Number(readFileSync(join(dataFolderOf(member), 'postmaster.pid'), 'utf8').split('\n')[0]);
}
