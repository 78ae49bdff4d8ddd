// PostgreSQL with a standby (Patroni, etcd), HAProxy that leads to its primary, and PgBouncer in front of that.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { waitUntil } from '../../../../test/support/processes.ts';
import { requireProgram } from '../../program/cluster.ts';
import type { ClusterDatabase } from '../../program/cluster.ts';
import { keepRunning } from '../../program/keep-running.ts';
import type { Program } from '../../program/keep-running.ts';
import { FOLDER } from '../../program/layout.ts';
import { DEBIAN_ROOT } from './debian-root.ts';
import {
  CONFIG_FOLDER,
  FOLDER_OF_DATABASES,
  MEMBERS,
  POOLER_PORT,
  PRIMARY_PORT,
  databaseUser,
  etcds,
  findMember,
  makeFolder,
  patroni,
} from './members.ts';
import { createNetwork, removeNetwork } from './network.ts';

function keptPassword(): string {
  const file = join(FOLDER_OF_DATABASES, 'password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

function haproxy(): Program {
  const ports = MEMBERS.flatMap(({ host, port, apiPort }, index) => [
    [`PG_${index + 1}_HOST`, host],
    [`PG_${index + 1}_PORT`, String(port)],
    [`PG_${index + 1}_API_PORT`, String(apiPort)],
  ]);
  return {
    name: 'haproxy-primary',
    command: 'haproxy',
    args: ['-db', '-f', join(CONFIG_FOLDER, 'haproxy.cfg')],
    env: {
      PATH: process.env['PATH'],
      PRIMARY_PORT: String(PRIMARY_PORT),
      ...(Object.fromEntries(ports) as Record<string, string>),
    },
  };
}

/** Readable by who runs the database, and nobody else. */
function writeOwn(name: string, text: string): string {
  const path = join(FOLDER_OF_DATABASES, name);
  writeFileSync(path, text, { mode: 0o600 });
  const user = databaseUser();
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

function pgbouncer(password: string): Program {
  const values: Record<string, string> = {
    PRIMARY_PORT: String(PRIMARY_PORT),
    POOLER_PORT: String(POOLER_PORT),
    USERS_FILE: writeOwn('users.txt', `"millrace" "${password}"\n`),
  };
  const template = readFileSync(join(CONFIG_FOLDER, 'pgbouncer.ini'), 'utf8');
  const text = template.replaceAll(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  return {
    name: 'pgbouncer',
    command: 'pgbouncer',
    args: [writeOwn('pgbouncer.ini', text)],
    env: { PATH: process.env['PATH'] },
    user: databaseUser(),
  };
}

async function makeDatabase(password: string): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://postgres:${password}@127.0.0.1:${PRIMARY_PORT}/postgres`,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query(`select 1 from pg_roles where rolname = 'millrace'`);
    if (rowCount) return;
    await client.query(`create role millrace login password '${password}'`);
    await client.query('create database millrace owner millrace');
  } finally {
    await client.end();
  }
}

export async function openPatroni(undo: AsyncDisposableStack): Promise<ClusterDatabase> {
  requireProgram(
    DEBIAN_ROOT === undefined ? 'patroni' : 'etcd',
    'patroni etcd-server pgbouncer postgresql haproxy',
  );
  makeFolder(FOLDER_OF_DATABASES, databaseUser(), 0o711);
  const password = keptPassword();
  const start = (program: Program) => {
    const kept = keepRunning(FOLDER, program);
    undo.defer(() => kept.stop());
  };
  const names = MEMBERS.map(({ name }) => name);
  undo.defer(() => removeNetwork(names));
  createNetwork(names);
  for (const program of etcds()) start(program);
  for (const member of MEMBERS) start(patroni(member, password));
  await waitUntil(() => findMember('primary'), `a primary: see the logs in ${FOLDER}`);
  await waitUntil(() => findMember('synchronous'), `a standby: see the logs in ${FOLDER}`);
  start(haproxy());
  await waitUntil(() => makeDatabase(password).then(() => true).catch(() => false), 'HAProxy');
  start(pgbouncer(password));
  const urlOf = (port: number) => `postgres://millrace:${password}@127.0.0.1:${port}/millrace`;
  return { url: urlOf(POOLER_PORT), directUrl: urlOf(PRIMARY_PORT) };
}
