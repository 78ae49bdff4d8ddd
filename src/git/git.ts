// One call of git. Nothing of the repository's own configuration runs by itself: no hooks and no monitors, and git works
// on the repository of the folder that is named, whatever the environment says: a hook that starts us has set its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const OWN_TERMS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
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
  signal?: AbortSignal;
}

function environmentOf(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of PLACES) delete env[name];
  return { ...env, ...QUIET, ...extra };
}

/** What it prints. */
export async function git(
  folder: string,
  args: readonly string[],
  { input, settings = [], env = {}, signal }: GitCall = {},
): Promise<string> {
  const terms = [...OWN_TERMS, ...settings.flatMap((setting) => ['-c', setting])];
  const running = execute('git', [...terms, ...args], {
    cwd: folder,
    maxBuffer: MOST_OUTPUT,
    env: environmentOf(env),
    ...(signal && { signal }),
  });
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
    signal?.throwIfAborted();
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
