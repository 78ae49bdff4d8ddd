// A database that speaks TLS with a certificate it made for itself, as Debian's packages do.
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { findServiceUser } from '../../src/store/embedded/service-user.ts';
import { startEmbedded } from '../../src/store/embedded/supervisor.ts';
import type { Embedded } from '../../src/store/embedded/supervisor.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { runHere } from '../support/run-here.ts';

let folder: string;
let database: Embedded;
const certificate = () => join(folder, 'server.crt');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  chmodSync(folder, 0o755);
  const key = join(folder, 'server.key');
  // Whose mode PostgreSQL checks, and which its user must be able to read.
  for (const name of ['server.key', 'server.crt']) {
    copyFileSync(new URL(`fixtures/tls/${name}`, import.meta.url), join(folder, name));
  }
  chmodSync(key, 0o600);
  const dataDir = join(folder, 'data');
  const user = findServiceUser(join(dataDir, 'postgres-18'));
  if (user) chownSync(key, user.uid, user.gid);
  const settings = { ssl: 'on', ssl_cert_file: certificate(), ssl_key_file: key };
  database = await startEmbedded({ dataDir, settings });
});
afterAll(async () => {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function isEncrypted(query: string): Promise<boolean> {
  const { databaseUrl } = loadConfig({ DATABASE_URL: `${database.url}?${query}` });
  const db = openDb({ url: databaseUrl!, poolSize: 1 });
  try {
    const { rows } = await db.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return rows[0]?.ssl === true;
  } finally {
    await db.close();
  }
}

it('require encrypts whatever the certificate, verify-ca with its authority, disable not at all', async () => {
  expect(await isEncrypted('sslmode=require')).toBe(true);
  expect(await isEncrypted(`sslmode=verify-ca&sslrootcert=${certificate()}`)).toBe(true);
  expect(await isEncrypted('sslmode=disable')).toBe(false);
});

it('a certificate that is refused is named, with what to do', async () => {
  const env = { DATABASE_URL: `${database.url}?sslmode=verify-full` };
  expect(await runHere(['migrate'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /certificate of the database was not accepted[^]*sslrootcert=FILE/,
    ),
  });
  const without = { DATABASE_URL: `${database.url}?sslmode=verify-ca` };
  expect(await runHere(['migrate'], without)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs sslrootcert'),
  });
});
