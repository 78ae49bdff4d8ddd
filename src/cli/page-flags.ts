// The flags of lists that come in pages.
import type { Command } from 'commander';
import type { CommandOptions } from './command.ts';
import { numberOf, textOf } from './flag-values.ts';

/** `before`: what is listed when it is given. */
export function withPageFlags(
  command: Command,
  { limit, before }: { limit: number; before: string },
): Command {
  return command
    .option('--limit <number>', 'how many to show, 1 to 100', String(limit))
    .option('--before <id>', before);
}

export function pageOf(options: CommandOptions): { limit: number; before: string | undefined } {
  return {
    limit: numberOf(options, 'limit', '--limit') ?? 0,
    before: textOf(options, 'before'),
  };
}
