// One call of git. Nothing of the repository's own configuration runs by itself: no hooks and no monitors, and git works
// on the repository of the folder that is named, whatever the environment says: a hook that starts us has set its own.
// Unless a call says so, git reaches no other repository: it would also do so for objects that are not here, by programs
// that the repository names.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Of githooks(5). A configuration can name programs for them, besides the folder that has them. */
const HOOKS = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'p4-changelist',
  'p4-post-changelist',
  'p4-pre-submit',
  'p4-prepare-changelist',
  'post-applypatch',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-merge',
  'post-receive',
  'post-rewrite',
  'post-update',
  'pre-applypatch',
  'pre-auto-gc',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'pre-receive',
  'prepare-commit-msg',
  'proc-receive',
  'push-to-checkout',
  'reference-transaction',
  'sendemail-validate',
  'update',
];

const OWN_TERMS = [
  ...HOOKS.map((hook) => `hook.${hook}.enabled=false`),
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/** What says which repository, index and objects are meant. */
const PLACES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
];

/** Nothing asks a person: there may be none. */
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
};

/** For a host that says no more, in seconds and in bytes a second; a person's own limits hold. Git has none by itself. */
const SILENCE = { GIT_HTTP_LOW_SPEED_TIME: '600', GIT_HTTP_LOW_SPEED_LIMIT: '1' };

const MOST_OUTPUT = 256 * 1024 * 1024;

export class GitError extends Error {
  /** What git said. */
  readonly said: string;
  /** On its standard output, before it failed. */
  readonly printed: string;
  readonly exitCode: number | undefined;

  constructor(
    args: readonly string[],
    said: string,
    { exitCode, printed = '' }: { exitCode: number | undefined; printed?: string },
  ) {
    super(`git ${args[0]}: ${said.trim().split('\n').slice(-3).join(' ') || 'failed'}`);
    this.name = 'GitError';
    this.said = said;
    this.printed = printed;
    this.exitCode = exitCode;
  }
}

interface ExecFileFailure {
  stdout: string;
  stderr: string;
  code: unknown;
}

export interface GitCall {
  /** Written to its standard input. */
  input?: string;
  /** Above our own terms and the repository's. */
  settings?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Other repositories may be reached: the programs for that were approved. */
  reachesOthers?: boolean;
}

/** By no kind of address. */
const ALONE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

function environmentOf({ env: extra = {}, reachesOthers = false }: GitCall): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...SILENCE, ...process.env };
  for (const name of PLACES) delete env[name];
  return { ...env, ...QUIET, ...(!reachesOthers && ALONE), ...extra };
}

export function startOf(
  args: readonly string[],
  call: GitCall,
): { words: string[]; env: NodeJS.ProcessEnv } {
  const terms = [...OWN_TERMS, ...(call.settings ?? []).flatMap((setting) => ['-c', setting])];
  return { words: [...terms, ...args], env: environmentOf(call) };
}

/** What it prints. */
export async function git(
  folder: string,
  args: readonly string[],
  call: GitCall = {},
): Promise<string> {
  const { input } = call;
  const { words, env } = startOf(args, call);
  const running = execute('git', words, { cwd: folder, maxBuffer: MOST_OUTPUT, env });
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(input ?? '');
  try {
    return (await running).stdout;
  } catch (error) {
    const {
      stderr = '',
      stdout: printed = '',
      code,
      message,
    } = error as Partial<ExecFileFailure> & Error;
    if (code === 'ENOENT') {
      throw new GitError(args, 'git is not installed', { exitCode: undefined });
    }
    const exitCode = typeof code === 'number' ? code : undefined;
    throw new GitError(args, stderr || message, { exitCode, printed });
  }
}

/** Undefined where git says no. */
export async function askGit(
  folder: string,
  args: readonly string[],
  call?: GitCall,
): Promise<string | undefined> {
  try {
    return await git(folder, args, call);
  } catch (error) {
    if (error instanceof GitError && error.exitCode !== undefined) return undefined;
    throw error;
  }
}

/** Fields that end with a zero byte. */
export const fieldsOf = (output: string): string[] =>
  output.split('\0').filter((one) => one !== '');
