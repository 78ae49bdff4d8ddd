// One commit for each stream, of its files only. Nothing else in the repository is touched: what is
// staged stays staged, and nothing is put aside or checked out.
import { askGit, fieldsOf, git } from './git.ts';

export interface StreamCommit {
  id: string;
  name: string;
  /** What it was to do. */
  plan?: string;
  runId?: string;
  signsOff?: boolean;
}

const LONGEST_PLAN = 4000;

/** Without what would steer a terminal. */
const plainText = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
    .slice(0, LONGEST_PLAN);
const oneLine = (text: string) => plainText(text).replaceAll(/\s+/g, ' ');

/** Trailers are written here and not by git, which would run what a repository has configured for them. */
export function messageOf(
  { id, name, plan = '', runId, signsOff }: StreamCommit,
  signer: string,
): string {
  const trailers = [
    `Millrace-Stream: ${oneLine(id)}`,
    ...(runId === undefined ? [] : [`Millrace-Run: ${runId}`]),
    ...(signsOff === true ? [`Signed-off-by: ${signer}`] : []),
  ];
  const parts = [oneLine(name) || oneLine(id), plainText(plan), trailers.join('\n')];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** "Name <address>", as git would write it into a commit now. Throws where git does not know. */
export async function committerOf(folder: string): Promise<string> {
  const ident = await git(folder, ['var', 'GIT_COMMITTER_IDENT']);
  return ident.replace(/ \d+ [+-]\d{4}\s*$/, '');
}

export interface Committed {
  /** Undefined where these files are as the last commit has them. */
  id: string | undefined;
  /** Not in it, because the repository ignores them. */
  ignored: string[];
}

export async function commitStream(
  folder: string,
  stream: StreamCommit,
  files: readonly string[],
): Promise<Committed> {
  if (files.length === 0) return { id: undefined, ignored: [] };
  const list = (paths: readonly string[]) => paths.map((path) => `${path}\0`).join('');
  const asked = ['check-ignore', '-z', '--stdin'];
  const ignored = fieldsOf((await askGit(folder, asked, { input: list(files) })) ?? '');
  const own = files.filter((file) => !ignored.includes(file));
  // Not `add`, which wants a path to be there or to be known.
  await git(folder, ['update-index', '--add', '--remove', '-z', '--stdin'], { input: list(own) });
  const staged = ['diff', '--cached', '--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const changed = new Set(fieldsOf(await git(folder, [...staged, '--relative'])));
  const paths = own.filter((file) => changed.has(file));
  if (paths.length === 0) return { id: undefined, ignored };
  const message = messageOf(stream, stream.signsOff === true ? await committerOf(folder) : '');
  const how = ['--quiet', '--only', '--cleanup=verbatim', '--message', message];
  const named = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const input = list(paths.map((path) => `:(literal)${path}`));
  await git(folder, ['commit', ...how, ...named], { input });
  return { id: (await git(folder, ['rev-parse', 'HEAD'])).trim(), ignored };
}

/** The last commit, where it is this one of an earlier try. */
export async function lastCommit(
  folder: string,
  { id, runId }: Pick<StreamCommit, 'id' | 'runId'>,
): Promise<string | undefined> {
  const form =
    '%H%x00%(trailers:key=Millrace-Run,valueonly)%x00%(trailers:key=Millrace-Stream,valueonly)';
  const printed = (await askGit(folder, ['log', '-1', `--format=${form}`])) ?? '';
  const [commit = '', run = '', stream = ''] = printed.split('\0').map((part) => part.trim());
  return run === runId && stream === oneLine(id) ? commit : undefined;
}
