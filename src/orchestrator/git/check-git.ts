// Whether a run can make commits: of the person's own files, or on a branch of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { committerOf } from '../../git/commit-stream.ts';
import { GitError, fieldsOf, git } from '../../git/git.ts';
import type { Manifest } from '../../manifest/model.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import { OrchestratorError } from '../errors.ts';

export function notReady(message: string, hint: string): OrchestratorError {
  return new OrchestratorError({ code: 'GIT_NOT_READY', message, hint });
}

/** Paths with changes that are not committed, relative to the root. Filters of the repository may run for it, not those of submodules. */
export async function dirtyPaths(root: string): Promise<string[]> {
  const prefix = (await git(root, ['rev-parse', '--show-prefix'])).trim();
  const how = ['--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
  const asked = ['status', '--porcelain', '-z', ...how, '--', '.'];
  const paths = fieldsOf(await git(root, asked)).map((field) => field.slice(3));
  return paths.map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path));
}

/** Throws where git cannot make commits here at all. */
export async function checkRepository(root: string, flag: string): Promise<void> {
  try {
    await git(root, ['rev-parse', '--is-inside-work-tree']);
  } catch (error) {
    if (error instanceof GitError && error.exitCode === undefined) {
      throw notReady(`${flag}: ${error.said}.`, 'Install git, or leave the flag out.');
    }
    throw notReady(`${flag}: this is not a git repository.`, 'Make one with: git init');
  }
  try {
    await committerOf(root);
  } catch {
    throw notReady(
      `${flag}: git does not know who you are.`,
      'Set user.name and user.email with: git config',
    );
  }
}

/** The first of them, for a sentence. */
export const someOf = (paths: readonly string[]): string => {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return paths.slice(0, 5).join(', ') + more;
};

/** Refuses when a commit could hold work that is not the stream's. */
export async function checkGit(
  root: string,
  manifest: Manifest,
  manifestFile: string,
): Promise<void> {
  await checkRepository(root, '--git commit');
  const owned = [...manifest.streams.values()].flatMap((stream) =>
    'owns' in stream ? stream.owns : [],
  );
  // Streams that own nothing may write anywhere.
  const isAnywhere = [...manifest.streams.values()].some(
    (stream) => !('owns' in stream) || stream.owns.length === 0,
  );
  const patterns = patternsOf(owned);
  const dirty = (await dirtyPaths(root)).filter((path) => {
    if (path === manifestFile || path.startsWith('.millrace/')) return false;
    if (isAnywhere) return true;
    return patterns.some((own) => patternsOverlap(own, filePattern(path)));
  });
  if (dirty.length === 0) return;
  throw notReady(
    `--git commit: files that streams may write have changes that are not committed: ${someOf(dirty)}`,
    'Commit them first, or use --git branch, which leaves them alone.',
  );
}

/** Paths of submodules that the base has: a second folder of the repository does not have their files. */
export async function submodulesIn(root: string, base: string): Promise<string[]> {
  const listed = fieldsOf(await git(root, ['ls-tree', '-r', '-z', '--full-tree', base]));
  return listed.filter((line) => line.startsWith('160000 ')).map((line) => line.split('\t')[1]!);
}

/** Files that are only a note of where large content is kept, because nothing here fetches it. */
export async function pointersIn(folder: string): Promise<string[]> {
  const files = fieldsOf(await git(folder, ['ls-files', '-z', ':(attr:filter=lfs)']));
  return files.filter((file) => {
    try {
      return readFileSync(join(folder, file), 'latin1').startsWith('version https://git-lfs.');
    } catch {
      return false;
    }
  });
}
