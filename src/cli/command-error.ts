// A command that cannot continue, with what to do about it.
import { EXIT } from './exit-codes.ts';

export class CommandError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly exit: number;

  constructor(problem: { code: string; message: string; hint: string; exit?: number }) {
    super(problem.message);
    this.name = 'CommandError';
    this.code = problem.code;
    this.hint = problem.hint;
    this.exit = problem.exit ?? EXIT.usage;
  }
}

/** A flag or an argument with a value that makes no sense. */
export function usageError(
  message: string,
  hint = 'Run the command with --help to see what it takes.',
): CommandError {
  return new CommandError({ code: 'CONFIG_INVALID', message, hint });
}
