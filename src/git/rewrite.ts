// Commits of a branch before anybody has seen them: those of one stream are made one, and all of them are put on top of the
// branch that will take them. In the branch's own folder; when it cannot be done, everything is as it was.
import { GitError, askGit, fieldsOf, git } from './git.ts';
import type { GitCall } from './git.ts';

export interface BranchCommit {
  id: string;
  /** Of the stream that made it; empty for one that none made. */
  stream: string;
}

/** The oldest first. */
export async function commitsOn(folder: string, base: string): Promise<BranchCommit[]> {
  const form = '%H%x1f%(trailers:key=Millrace-Stream,valueonly,separator=%x20)';
  const printed = await git(folder, [
    'log',
    '-z',
    '--reverse',
    `--format=${form}`,
    `${base}..HEAD`,
  ]);
  return fieldsOf(printed).map((line) => {
    const [id = '', stream = ''] = line.split('\x1f');
    return { id, stream: stream.trim() };
  });
}

export interface Arrangement {
  /** Of a fix: the stream that it fixes. */
  rootOf(stream: string): string;
  /** Commits of an earlier wave come first; left out where the order stays as it is. */
  waveOf?: ((stream: string) => number) | undefined;
}

/** What a rebase should do, so that the later commits of a stream are part of its first one; undefined for nothing. */
export function arranged(
  commits: readonly BranchCommit[],
  { rootOf, waveOf = () => 0 }: Arrangement,
): string | undefined {
  const groups = new Map<string, { wave: number; ids: string[] }>();
  let wave = 0;
  for (const { id, stream } of commits) {
    // What no stream has made stays behind what it was made on.
    if (stream !== '') wave = waveOf(rootOf(stream));
    const key = stream === '' ? id : rootOf(stream);
    const group = groups.get(key) ?? { wave, ids: [] };
    group.ids.push(id);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].toSorted((a, b) => a.wave - b.wave);
  const isSame = sorted.every(({ ids }, at) => ids.length === 1 && ids[0] === commits[at]!.id);
  if (isSame) return undefined;
  const lines = sorted.flatMap(({ ids: [first, ...later] }) => [
    `pick ${first!}`,
    ...later.map((id) => `fixup ${id}`),
  ]);
  return `${lines.join('\n')}\n`;
}

const QUIET = [
  '--quiet',
  '--no-autostash',
  '--no-autosquash',
  '--no-rebase-merges',
  '--no-update-refs',
  '--empty=keep',
];

/** Git writes a list and reads it again: a format with a line break would put commands into it. */
const LIST = ['rebase.instructionFormat=%s', 'core.commentChar=#', 'core.commentString=#'];

async function rebase(folder: string, args: readonly string[], call: GitCall): Promise<boolean> {
  try {
    const terms = { ...call, settings: LIST, reachesOthers: true };
    await git(folder, ['rebase', ...QUIET, ...args], terms);
    return true;
  } catch (error) {
    const hasBegun = (await askGit(folder, ['rebase', '--abort'])) !== undefined;
    if (hasBegun && error instanceof GitError) return false;
    throw error;
  }
}

/** False when the commits cannot be moved. */
export function rearrange(folder: string, base: string, todo: string): Promise<boolean> {
  // Git calls an editor for its list, with the file as the last word.
  const env = {
    GIT_SEQUENCE_EDITOR: `f() { printf %s "$MILLRACE_TODO" >"$1"; }; f`,
    MILLRACE_TODO: todo,
  };
  return rebase(folder, ['--interactive', base], { env });
}

/** Undefined when it is done; else the files that stand against it. */
export async function putOnTop(
  folder: string,
  { base, target }: { base: string; target: string },
): Promise<string[] | undefined> {
  const before = (await git(folder, ['rev-parse', 'HEAD'])).trim();
  if (await rebase(folder, ['--onto', target, base], {})) return undefined;
  return conflictsOf(folder, before, target);
}

async function conflictsOf(folder: string, ours: string, theirs: string): Promise<string[]> {
  const asked = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  try {
    await git(folder, asked, { reachesOthers: true });
    return [];
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return fieldsOf(error.printed).slice(1);
  }
}

/** After others have seen the branch nothing of it is changed: what is new over there comes in by a merge. */
export async function mergeIn(
  folder: string,
  { target, message }: { target: string; message: string },
): Promise<string[] | undefined> {
  const isIn = await askGit(folder, ['merge-base', '--is-ancestor', target, 'HEAD']);
  if (isIn !== undefined) return undefined;
  const before = (await git(folder, ['rev-parse', 'HEAD'])).trim();
  try {
    const how = ['--quiet', '--no-ff', '--no-verify', '-m', message];
    await git(folder, ['merge', ...how, target], { reachesOthers: true });
    return undefined;
  } catch (error) {
    const hasBegun = (await askGit(folder, ['merge', '--abort'])) !== undefined;
    if (!hasBegun || !(error instanceof GitError)) throw error;
    return conflictsOf(folder, before, target);
  }
}

export const isAncestor = async (folder: string, older: string, newer: string): Promise<boolean> =>
  (await askGit(folder, ['merge-base', '--is-ancestor', older, newer])) !== undefined;
