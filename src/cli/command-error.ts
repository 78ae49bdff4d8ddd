// A command that cannot go on, with what to do about it.
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
