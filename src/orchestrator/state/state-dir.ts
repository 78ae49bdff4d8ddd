// Where the state of a project's runs is kept: in a folder of the user's, one for each project, and
// never in the project itself. A project may come from anybody, with whatever its makers put in it;
// state that came along with it could tell us to write files or to run commands. What is not in the
// user's own folder does not count.
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, renameSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { newId } from '../../platform/ids.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { StateNotOursError } from './state-errors.ts';
import { makeFolder, withFolder } from '../../platform/make-folder.ts';

export interface ProjectPlace {
  /** Absolute, with no links in it. */
  root: string;
  /** Where the state of its runs is kept. */
  stateDir: string;
}

// Which folder it is, whatever it is called: a folder that was removed and made again under the same
// name is another project, and one that was moved is the same.
const Identity = z.object({
  v: z.literal(1),
  root: z.string(),
  inode: z.string(),
  /** In nanoseconds; 0 where the file system does not say. */
  bornAt: z.string().regex(/^\d+$/),
});
type Identity = z.infer<typeof Identity>;

const IDENTITY_FILE = 'project.json';

function identityOf(root: string): Identity {
  const { ino, birthtimeNs } = statSync(root, { bigint: true });
  return { v: 1, root, inode: String(ino), bornAt: String(birthtimeNs) };
}

const hasBirth = ({ bornAt }: Identity) => BigInt(bornAt) > 0n;

/** Not every file system knows when a folder was made, and not every one keeps the inode. */
function isSameFolder(a: Identity, b: Identity): boolean {
  return hasBirth(a) && hasBirth(b) ? a.bornAt === b.bornAt : a.inode === b.inode;
}

function readIdentity(stateDir: string): Identity | undefined {
  try {
    const parsed = Identity.safeParse(
      JSON.parse(readFileSync(join(stateDir, IDENTITY_FILE), 'utf8')),
    );
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Readable, and different for every path. */
function folderNameOf(root: string): string {
  const name = basename(root)
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 40);
  return `${name}-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
}

/**
 * The state folder of a project; it need not be there yet. State of a folder that once had this name
 * is put aside, and that of this very folder under an earlier name is taken along.
 */
export async function findStateDir(root: string, stateHome: string): Promise<string> {
  const projects = join(stateHome, 'projects');
  const stateDir = join(projects, folderNameOf(root));
  const about = lstatSync(stateDir, { throwIfNoEntry: false });
  if (about !== undefined) checkOurs(stateDir, about);
  const now = identityOf(root);
  const known = readIdentity(stateDir);
  if (known !== undefined && !isSameFolder(known, now)) {
    renameSync(stateDir, `${stateDir}.${newId('run').slice(4)}.old`);
  }
  if (known === undefined && about === undefined) {
    const earlier = findMoved(projects, now);
    if (earlier !== undefined) {
      renameSync(earlier, stateDir);
      await writeIdentity(stateDir, now);
    }
  }
  return stateDir;
}

/** State of this very folder from before it was moved to where it is now. */
function findMoved(projects: string, now: Identity): string | undefined {
  if (!hasBirth(now)) return undefined;
  for (const name of listOrNone(projects)) {
    const folder = join(projects, name);
    if (name.endsWith('.old')) continue;
    const known = readIdentity(folder);
    if (known === undefined || known.root === now.root || known.inode !== now.inode) continue;
    if (!isSameFolder(known, now)) continue;
    checkOurs(folder, lstatSync(folder));
    // A copy can have the same times, but then the first is still where it was.
    const old = statSync(known.root, { throwIfNoEntry: false });
    if (old === undefined || !isSameFolder(identityOf(known.root), now)) return folder;
  }
  return undefined;
}

function listOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Throws unless it is a folder of this user's that nobody else may write into. */
function checkOurs(folder: string, about: Stats): void {
  if (!about.isDirectory()) throw new StateNotOursError(folder, 'is not a folder');
  const user = process.getuid?.();
  if (user === undefined) return;
  if (about.uid !== user) throw new StateNotOursError(folder, 'belongs to another user');
  if ((about.mode & 0o022) !== 0) {
    throw new StateNotOursError(folder, 'can be written by other users');
  }
}

async function writeIdentity(stateDir: string, identity: Identity): Promise<void> {
  await writeWholeFile(join(stateDir, IDENTITY_FILE), JSON.stringify(identity), { mode: 0o600 });
}

export async function makeStateDir({ root, stateDir }: ProjectPlace): Promise<void> {
  withFolder({ path: stateDir, setting: 'MILLRACE_STATE_DIR' }, () => makeFolder(stateDir, 0o700));
  checkOurs(stateDir, lstatSync(stateDir));
  if (readIdentity(stateDir) === undefined) await writeIdentity(stateDir, identityOf(root));
}

/** In a project that is the user's home folder the state lies within: no stream may write there. */
export function stateWithin({ root, stateDir }: ProjectPlace): string[] {
  const path = relative(root, dirname(dirname(stateDir)));
  return path === '' || path.startsWith('..') || isAbsolute(path)
    ? []
    : [path.split(sep).join('/')];
}
