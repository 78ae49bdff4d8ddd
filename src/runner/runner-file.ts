// What the owner of this machine lets runs of others do here. The server has no say in it: it is in a file of the owner's,
// and only commands on this machine change it.
import { chmodSync, readFileSync, unwatchFile, watchFile } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { PROJECT_NAME_PATTERN } from '../contract/run-request-api.ts';
import { lockFile } from '../platform/file-lock.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { writeWholeFile } from '../platform/whole-file.ts';

export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

const Project = z.strictObject({
  /** A folder of the owner's, or a repository that is cloned. */
  path: z.string().optional(),
  repo: z.string().optional(),
  /** Runs may work in the folder itself. */
  inPlace: z.boolean().default(false),
  /** `host`: commands of manifests run as the owner does. */
  commands: z.enum(['sandbox', 'host']).default('sandbox'),
  /** Hosts that commands and agents may reach from the sandbox. */
  hosts: z.array(z.string()).default([]),
  /** Agents that may work with the owner's own login. */
  ownLogins: z.array(z.string()).default([]),
  /** For runs of this project alone. Nobody else sees it. */
  env: z.record(z.string().regex(ENV_NAME), z.string()).default({}),
});
export type AllowedProject = z.infer<typeof Project>;

const RunnerFile = z.strictObject({
  v: z.literal(1),
  /** Under which this machine is known, by the address of the server and the name of the runner. */
  ids: z.record(z.string(), z.string()).default({}),
  projects: z.record(z.string().regex(PROJECT_NAME_PATTERN), Project).default({}),
});
export type RunnerFile = z.infer<typeof RunnerFile>;

export const runnerHomeOf = (stateHome: string): string => join(stateHome, 'runner');
const fileOf = (stateHome: string): string => join(runnerHomeOf(stateHome), 'runner.json');

const WAIT_MS = 5000;

/** A file that cannot be read allows nothing, and is not written over. */
export class RunnerFileError extends Error {
  override name = 'RunnerFileError';
}

export function readRunnerFile(stateHome: string): RunnerFile {
  const file = fileOf(stateHome);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return RunnerFile.parse({ v: 1 });
    throw error;
  }
  try {
    return RunnerFile.parse(JSON.parse(text));
  } catch (error) {
    throw new RunnerFileError(`${file} cannot be understood, so nothing is allowed here.`, {
      cause: error,
    });
  }
}

/** By looking every half second: the file is replaced as a whole, which other ways of watching lose sight of. */
export function watchRunnerFile(stateHome: string, onChange: () => void): () => void {
  const file = fileOf(stateHome);
  watchFile(file, { interval: 500, persistent: false }, onChange);
  return () => unwatchFile(file, onChange);
}

/** Of two commands at once neither loses what the other one wrote. */
export async function changeRunnerFile(
  stateHome: string,
  change: (file: RunnerFile) => RunnerFile,
): Promise<RunnerFile> {
  const file = fileOf(stateHome);
  makeFolder(dirname(file), 0o700);
  const lock = lockFile(`${file}.lock`, { waitMs: WAIT_MS });
  if (lock === undefined) throw new RunnerFileError(`Another command is changing ${file}.`);
  try {
    const next = RunnerFile.parse(change(readRunnerFile(stateHome)));
    await writeWholeFile(file, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
    return next;
  } finally {
    lock.release();
  }
}
