// A command as the program sees it: a name with flags here, code that is loaded when it is called.
import type { Command } from 'commander';

export type CommandOptions = Record<string, string | boolean | undefined>;
/** Returns the exit code. `args` are the positional arguments. */
export type CommandAction = (options: CommandOptions, args: string[]) => Promise<number>;
export type Act = (load: () => Promise<CommandAction>) => (...all: unknown[]) => Promise<void>;

/** One line for the list of commands; its own help shows the examples before the flags. */
export function describe(command: Command, summary: string, examples: readonly string[]): Command {
  const shown = examples.map((example) => `  $ millrace ${example}`).join('\n');
  const sentence = `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}`.replace(
    /(?<!\.)$/,
    '.',
  );
  const description = shown === '' ? sentence : `${sentence}\n\nExamples:\n${shown}`;
  return command.summary(summary).description(description);
}
