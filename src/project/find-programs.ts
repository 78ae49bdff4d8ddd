// Whether the programs that commands begin with are on this machine: asked before a model is, because
// a check that cannot start fails every answer that was paid for.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ASSIGNMENT = /^[A-Za-z_]\w*=[^'"`$\\]*$/;
const PLAIN_WORD = /^\w[\w.+-]*$/;

/**
 * A plain first word, behind variables for the command alone. What is no plain word (a path, which a
 * stream or a setup may make; a quotation; a group) is left to the shell.
 */
export function firstWordOf(command: string): string | undefined {
  const words = command.trim().split(/\s+/);
  const first = words.find((word) => !ASSIGNMENT.test(word)) ?? '';
  const assigned = words.slice(0, words.indexOf(first));
  if (assigned.some((word) => word.startsWith('PATH='))) return undefined;
  const [word = ''] = first.split(/[;&|]/, 1);
  return PLAIN_WORD.test(word) ? word : undefined;
}

const SHELL_LOOK = 'for word do command -v "$word" >/dev/null 2>&1 || printf "%s\\n" "$word"; done';

/** Of these commands, first words that the shell of checks does not know; each once. */
export async function missingPrograms(
  commands: readonly string[],
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
): Promise<Set<string>> {
  const words = new Set(commands.flatMap((command) => firstWordOf(command) ?? []));
  if (words.size === 0) return new Set();
  // `cmd` has commands of its own that no search of the path finds.
  if (process.platform === 'win32') return new Set();
  // The shell that runs the checks knows its own words, too: `test`, `cd`, `if`.
  const { stdout } = await run('/bin/sh', ['-c', SHELL_LOOK, 'sh', ...words], {
    cwd: root,
    env,
  });
  return new Set(stdout.split('\n').filter((word) => word !== ''));
}
