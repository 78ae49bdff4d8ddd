// One commit for each stream, of its files only. Nothing else in the repository is touched: what is
// staged stays staged, and nothing is put aside or checked out.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Manifest } from '../../manifest/model.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import { OrchestratorError } from '../errors.ts';

const execute = promisify(execFile);

// What a repository's own configuration makes git run, a clone does not bring along, but an archive
// does. A monitor and hooks are left out; other programs must be approved first.
const OWN_TERMS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);
const PROGRAMS = String.raw`^(filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program)$`;

async function git(root: string, args: readonly string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await execute('git', [...OWN_TERMS, ...args], options);
  return stdout;
}

/** Programs that only this repository's configuration names, and that a commit would run. */
export async function programsOfRepository(root: string): Promise<string[]> {
  const asked = ['config', '--includes', '--show-scope', '-z', '--get-regexp', PROGRAMS];
  // Nothing found is a failure to git.
  const fields = (await git(root, asked).catch(() => '')).split('\0');
  const programs = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const isOwn = fields[at] === 'local' || fields[at] === 'worktree';
    const program = fields[at + 1]!.split('\n').slice(1).join('\n');
    if (isOwn && program !== '') programs.add(program);
  }
  return [...programs];
}

function refuse(message: string, hint: string): OrchestratorError {
  return new OrchestratorError({ code: 'GIT_NOT_READY', message, hint });
}

/** Paths with changes that are not committed, relative to the root. */
async function dirtyPaths(root: string): Promise<string[]> {
  const prefix = (await git(root, ['rev-parse', '--show-prefix'])).trim();
  const fields = (
    await git(root, ['status', '--porcelain', '-z', '--untracked-files=all', '--', '.'])
  ).split('\0');
  const paths: string[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!;
    if (field === '') continue;
    paths.push(field.slice(3));
    // Of a renamed file the old name follows.
    if (/^[RC]/.test(field)) paths.push(fields[++at] ?? '');
  }
  return paths.map((path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path));
}

/** Refuses when a commit could hold work that is not the stream's. */
export async function checkGit(
  root: string,
  manifest: Manifest,
  manifestFile: string,
): Promise<void> {
  try {
    await git(root, ['rev-parse', '--is-inside-work-tree']);
  } catch {
    throw refuse('--git commit: this is not a git repository.', 'Make one with: git init');
  }
  try {
    await git(root, ['var', 'GIT_COMMITTER_IDENT']);
  } catch {
    throw refuse(
      '--git commit: git does not know who you are.',
      'Set user.name and user.email with: git config',
    );
  }
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
  const named = dirty.slice(0, 5).join(', ');
  const more = dirty.length > 5 ? ` and ${dirty.length - 5} more` : '';
  throw refuse(
    `--git commit: files that streams may write have changes that are not committed: ${named}${more}`,
    'Commit them first.',
  );
}

export async function commitStream(
  root: string,
  stream: { id: string; name: string },
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const paths = files.map((file) => `:(literal)${file}`);
  await git(root, ['add', '--', ...paths]);
  const message = ['-m', stream.name, '--trailer', `Millrace-Stream: ${stream.id}`];
  await git(root, ['commit', '--quiet', '--only', ...message, '--', ...paths]);
}
