import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chown, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Layout } from './placement.ts';
import { postgresProcess } from './postgres-process.ts';
import type { ServiceUser } from './service-user.ts';

/** Waits in all: twenty seconds, longer each time. */
const PATIENTLY = { maxRetries: 20, retryDelay: 100 };

const run = promisify(execFile);
export const SUPERUSER = 'millrace';

/** Makes the cluster when there is none, and returns its password. */
export async function ensureCluster(
  layout: Layout,
  options: { binaries: string; user: ServiceUser | undefined },
): Promise<string> {
  if (existsSync(join(layout.clusterDir, 'PG_VERSION'))) return readPassword(layout);
  const password = randomBytes(24).toString('hex');
  // The password is on disk before any cluster that needs it.
  await rm(layout.passwordFile, { force: true });
  await writeFile(layout.passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await createCluster(layout, { ...options, password });
  return password;
}

export function readPassword(layout: Layout): string {
  try {
    return readFileSync(layout.passwordFile, 'utf8').trim();
  } catch (error) {
    throw new Error(
      `Cannot read ${layout.passwordFile}, which holds the password of the embedded database. ` +
        'Run as the user who owns the data folder; if the file is lost, restore it from a backup.',
      { cause: error },
    );
  }
}

/**
 * Under a name of its own first, then renamed: a crash never leaves half a cluster, and an initdb
 * that outlived its killed parent cannot write into ours.
 */
async function createCluster(
  layout: Layout,
  options: { binaries: string; user: ServiceUser | undefined; password: string },
): Promise<void> {
  const { binaries, user, password } = options;
  const prefix = `${basename(layout.clusterDir)}.init-`;
  for (const name of await readdir(layout.home)) {
    if (name.startsWith(prefix))
      // What was begun may still be written to: its program outlives the server that started it.
      await rm(join(layout.home, name), { recursive: true, force: true, ...PATIENTLY });
  }
  const workDir = await mkdtemp(join(layout.home, prefix));
  const cluster = join(workDir, 'cluster');
  const passwordFile = join(workDir, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) {
    await chown(passwordFile, user.uid, user.gid);
    await chown(workDir, user.uid, user.gid);
  }
  try {
    await run(join(binaries, 'bin', 'initdb'), initdbArguments(cluster, passwordFile), {
      ...postgresProcess(user),
      timeout: 300_000,
    });
    await rename(cluster, layout.clusterDir);
    await flushFolder(layout.home);
  } catch (error) {
    const detail = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`Could not create the embedded database in ${layout.home}. ${detail}`.trim(), {
      cause: error,
    });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

// Nothing is taken from the host: sort order and encoding would otherwise differ by machine.
function initdbArguments(cluster: string, passwordFile: string): string[] {
  return [
    `--pgdata=${cluster}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // Rounds are for passwords that can be guessed. Ours has 192 random bits, and each connection repeats them.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--lc-messages=C',
  ];
}

async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a postmaster wrote about itself. */
export interface PidFile {
  pid: number;
  port: number;
  ready: boolean;
}

export function readPidFile(clusterDir: string): PidFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const [pid = '', , , port = '', , , , status = ''] = lines;
  // A negative number is a single-user backend's.
  return { pid: Math.abs(Number(pid)), port: Number(port), ready: status.trim() === 'ready' };
}

/**
 * Makes a left-over pid file harmless when the number in it is now another program's or a zombie's,
 * which PostgreSQL would take for a running postmaster. It ignores its parent's number, so ours
 * goes in; the file itself stays, because its shared-memory line is what keeps a new postmaster
 * out while backends of the old one still live.
 */
export function neutralisePidFile(clusterDir: string): void {
  const path = join(clusterDir, 'postmaster.pid');
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[0] = String(process.pid);
  writeFileSync(path, lines.join('\n'));
}
