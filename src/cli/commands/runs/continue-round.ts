// A round of a review continues in the run, which is resumed as it was started: as a command of its own, in this terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { keptWords } from '../../../domain/run/resume-words.ts';
import type { StartedRun } from '../../../domain/run/resume-words.ts';
import { compileCacheEnv } from '../../../platform/compile-cache.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine, placeWords } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { complain, note } from '../../terminal/output.ts';

/** What the review has decided is not asked again before it is written. */
const REVIEWED: ReadonlySet<string> = new Set(['--review', '--review-in']);

/** Its exit code. */
export async function continueRound(
  root: string,
  run: StartedRun,
  options: CommandOptions,
): Promise<number> {
  const words = ['run', run.file, ...keptWords(run.args, REVIEWED)];
  note(`Making the changes: ${commandLine(...words)}`);
  const asked = options['yes'] === true ? ['--yes'] : [];
  const quiet = options['quiet'] === true ? ['--quiet'] : [];
  const args = ['-C', root, ...words, ...placeOf(options), ...asked, ...quiet];
  // Ctrl-C reaches both: the run stops in its own way, and this process waits for it.
  const hold = () => undefined;
  process.on('SIGINT', hold);
  try {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
      env: { ...process.env, ...compileCacheEnv() },
      stdio: ['inherit', options['json'] === true ? 2 : 'inherit', 'inherit'],
    });
    const [code] = (await once(child, 'close')) as [number | null];
    // Killed in the middle of a line.
    if (code === null) complain('');
    return code ?? EXIT.failed;
  } finally {
    process.off('SIGINT', hold);
  }
}

/** As this command has it; what is shown of an address has no password in it. */
function placeOf({ url }: CommandOptions): string[] {
  const words = placeWords();
  const at = words.indexOf('--url');
  return at === -1 || typeof url !== 'string' ? words : words.with(at + 1, url);
}
