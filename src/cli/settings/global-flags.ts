// Flags that every command takes, before or after its name.
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandOptions } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { rememberCall } from '../command-name.ts';
import { beQuiet } from '../terminal/output.ts';
import { PROGRESS_MODES } from '../terminal/progress.ts';

export function addGlobalFlags(program: Command): void {
  program
    .addOption(new Option('--json', 'print one JSON document on standard output, errors too'))
    .addOption(
      new Option('--progress <mode>', 'how progress is shown')
        .choices(PROGRESS_MODES)
        .default('auto'),
    )
    .option('-q, --quiet', 'print only results and errors')
    .option('-v, --verbose', 'show where settings come from, and the causes of errors')
    .option('--url <url>', 'the server (default MILLRACE_URL or http://127.0.0.1:4747)')
    .option(
      '--api-key <key>',
      'your API key; other users can see it here, so prefer MILLRACE_API_KEY',
    )
    .option(
      '--data-dir <folder>',
      'the data folder of a server on this machine, whose owner you act as without a key or sign-in',
    )
    .option('--team <team>', 'the team to act in, by slug, name or id')
    .option('--profile <name>', 'profile of your settings file')
    .option('-C, --dir <folder>', 'run in this folder')
    .option('-y, --yes', 'answer yes to questions')
    .option('--no-input', 'never ask questions')
    .option('--no-color', 'no colors (like NO_COLOR)');
}

function changeFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError({
      code: 'NO_SUCH_FOLDER',
      message: `-C ${folder}: no such folder`,
      hint: 'Name a folder that exists.',
    });
  }
  process.chdir(folder);
}

/** What concerns the whole process; the rest is for the command. */
export function applyGlobalFlags(options: CommandOptions): void {
  // In the environment, because it is meant for what we start as well.
  if (options['color'] === false) process.env['NO_COLOR'] = '1';
  beQuiet(options['quiet'] === true);
  rememberCall(options);
  const { dir } = options;
  if (typeof dir === 'string') changeFolder(dir);
}

export function mayAsk(options: CommandOptions, env: NodeJS.ProcessEnv): boolean {
  return options['input'] !== false && !env['MILLRACE_NO_INPUT'] && process.stdin.isTTY;
}
