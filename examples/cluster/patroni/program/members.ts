// The members of the PostgreSQL cluster, and what they need: etcd, which knows who the primary is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, chownSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../../program/keep-running.ts';
import { FIRST_PORT, FOLDER } from '../../program/layout.ts';
import { DEBIAN_ROOT, enterRoot, postgresBinaries, userOf } from './debian-root.ts';
import type { User } from './debian-root.ts';
import { HOST_ADDRESS, addressOf, insideOf } from './network.ts';

// Data of one PostgreSQL are nothing that another can read.
const DATABASES = DEBIAN_ROOT === undefined ? 'patroni' : `patroni-${basename(DEBIAN_ROOT)}`;
export const FOLDER_OF_DATABASES = join(FOLDER, DATABASES);
export const PRIMARY_PORT = FIRST_PORT + 10;
export const POOLER_PORT = FIRST_PORT + 11;

/** Three: of two, one that is gone would take the other's word with it. */
const ETCD = [1, 2, 3].map((place) => ({
  name: `etcd-${place}`,
  client: `${HOST_ADDRESS}:${FIRST_PORT + 20 + place}`,
  peer: `${HOST_ADDRESS}:${FIRST_PORT + 30 + place}`,
}));

export interface Member {
  name: string;
  /** From 1. */
  place: number;
  host: string;
  port: number;
  apiPort: number;
}

export const MEMBERS: readonly Member[] = [1, 2].map((place) => ({
  name: `pg-${place}`,
  place,
  host: addressOf(place),
  port: FIRST_PORT + 12 + 2 * place,
  apiPort: FIRST_PORT + 13 + 2 * place,
}));

export const CONFIG_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const dataFolderOf = ({ name }: Member) => join(FOLDER_OF_DATABASES, name, 'data');

/** PostgreSQL does not run as root: Debian's package has made a user for it. */
export function databaseUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** What Patroni and PostgreSQL run as: in another Debian, the user has another number. */
const memberUser = () => (DEBIAN_ROOT === undefined ? databaseUser() : userOf(DEBIAN_ROOT));

/** Members get through the outer ones to their own, whatever they run as. */
export function makeFolder(path: string, user = databaseUser(), mode = 0o700): void {
  mkdirSync(path, { recursive: true, mode });
  if (user) chownSync(path, user.uid, user.gid);
}

export function etcds(): Program[] {
  return ETCD.map(({ name, client, peer }) => {
    const data = join(FOLDER_OF_DATABASES, name);
    makeFolder(data);
    return {
      name,
      command: 'etcd',
      args: [
        `--name=${name}`,
        `--data-dir=${data}`,
        `--listen-client-urls=http://${client}`,
        `--advertise-client-urls=http://${client}`,
        `--listen-peer-urls=http://${peer}`,
        `--initial-advertise-peer-urls=http://${peer}`,
        `--initial-cluster=${ETCD.map((one) => `${one.name}=http://${one.peer}`).join(',')}`,
      ],
      // Debian's etcd asks for this on arm64.
      env: { PATH: process.env['PATH'], ETCD_UNSUPPORTED_ARCH: process.arch },
      user: databaseUser(),
    };
  });
}

/** In the member's network, and in the Debian that was named. */
function startedBy(member: Member): Pick<Program, 'user'> & { prefix: string[]; env: object } {
  const user = memberUser();
  const inside = insideOf(member.name);
  if (DEBIAN_ROOT !== undefined) {
    const { prefix, env } = enterRoot(DEBIAN_ROOT, user!, CONFIG_FOLDER);
    return { prefix: [...inside, ...prefix], env };
  }
  if (inside.length === 0) return { prefix: [], env: {}, user };
  const { uid, gid } = user!;
  const become = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return { prefix: [...inside, ...become], env: {} };
}

export function patroni(member: Member, password: string): Program {
  const folder = join(FOLDER_OF_DATABASES, member.name);
  makeFolder(folder, memberUser());
  const api = `${member.host}:${member.apiPort}`;
  const address = `${member.host}:${member.port}`;
  const { prefix, env, ...user } = startedBy(member);
  const [command, ...args] = [...prefix, 'patroni', join(CONFIG_FOLDER, 'patroni.yml')];
  return {
    name: member.name,
    command,
    args,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ...env,
      PATRONI_NAME: member.name,
      PATRONI_RESTAPI_LISTEN: api,
      PATRONI_RESTAPI_CONNECT_ADDRESS: api,
      PATRONI_ETCD3_HOSTS: ETCD.map(({ client }) => client).join(','),
      PATRONI_POSTGRESQL_LISTEN: address,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
      PATRONI_POSTGRESQL_DATA_DIR: dataFolderOf(member),
      PATRONI_POSTGRESQL_BIN_DIR: postgresBinaries(),
      PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: password,
      PATRONI_REWIND_USERNAME: 'rewinder',
      PATRONI_REWIND_PASSWORD: password,
    },
    ...user,
  };
}

/** One that stands still or is cut off says nothing at all. */
const ANSWER_MS = 1000;

/** What Patroni says of a member: 200 for what it is. */
export async function isRole({ host, apiPort }: Member, role: 'primary' | 'synchronous'): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return fetch(`http://${host}:${apiPort}/${role}`, { signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

export async function findMember(role: 'primary' | 'synchronous'): Promise<Member | undefined> {
  for (const member of MEMBERS) if (await isRole(member, role)) return member;
  return undefined;
}

/** Of the Patroni and the PostgreSQL that run. */
export function versions(): string {
  const root = DEBIAN_ROOT === undefined ? [] : ['chroot', DEBIAN_ROOT];
  const programs = ['patroni', join(postgresBinaries(), 'postgres')];
  const lines = programs.map((program) => {
    const [command, ...args] = [...root, program, '--version'];
    return execFileSync(command, args, { encoding: 'utf8' }).trim();
  });
  return lines.join(', ');
}

export function postmasterOf(member: Member): number {
  return Number(readFileSync(join(dataFolderOf(member), 'postmaster.pid'), 'utf8').split('\n')[0]);
}
