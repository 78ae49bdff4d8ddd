// How a command fails: what went wrong, and what to do. Errors of ours that stop a command carry it themselves, as
// `code`, `hint` and `exit`; those of others are explained in `foreign-failures`.
import type { CommandOptions } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { foreignFailure } from './foreign-failures.ts';
import { hideSecrets } from './terminal/hide-secrets.ts';
import { complain, print } from './terminal/output.ts';

export interface Failure {
  code: string;
  message: string;
  hint?: string;
  exit: number;
}

interface Carrier extends Error {
  code: string;
  hint?: string;
  /** By its name where the command line is out of sight. */
  exit: number | keyof typeof EXIT;
}

function isCarrier(error: unknown): error is Carrier {
  return error instanceof Error && 'exit' in error && 'code' in error;
}

export async function failureOf(
  error: unknown,
  options: CommandOptions = {},
  command = '',
): Promise<Failure> {
  if (isCarrier(error)) {
    const { code, message, hint, exit } = error;
    const status = typeof exit === 'number' ? exit : EXIT[exit];
    return { code, message, ...(hint === undefined ? {} : { hint }), exit: status };
  }
  const foreign = await foreignFailure(error, options, command);
  if (foreign !== undefined) return foreign;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'FAILED', message, exit: EXIT.failed };
}

/** From the error itself to what is behind it all. */
function explainCauses(error: unknown): void {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && !causes.includes(at); at = at.cause) causes.push(at);
  for (const cause of causes) {
    complain(hideSecrets(cause.stack ?? `${cause.name}: ${cause.message}`));
  }
}

export async function reportFailure(
  error: unknown,
  options: CommandOptions,
  command: string,
): Promise<number> {
  const { exit, ...failure } = await failureOf(error, options, command);
  failure.message = hideSecrets(failure.message);
  if (options['json']) print(JSON.stringify({ error: failure }));
  else {
    complain(`Error: ${failure.message}`);
    if (failure.hint) complain(failure.hint);
  }
  if (options['verbose']) explainCauses(error);
  return exit;
}
