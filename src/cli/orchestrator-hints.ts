// What the orchestrator refuses, with the command to type next.
import type { OrchestratorError, OrchestratorErrorCode } from '../orchestrator/errors.ts';
import { CommandError } from './command-error.ts';
import { commandLine, commandWithout } from './command-name.ts';
import { EXIT } from './exit-codes.ts';
import { plain } from './terminal/plain-text.ts';

type Hint = (items: readonly string[]) => string;

const HINTS: Partial<Record<OrchestratorErrorCode, Hint>> = {
  RUN_NOT_FOUND: (ids) =>
    ids.length === 0 ? `Start one with: ${commandLine('run')}` : `Latest runs: ${ids.join(', ')}`,
  AMBIGUOUS_ID: (ids) => `Type more of it. Matches: ${ids.slice(0, 10).join(', ')}`,
  RUN_LOCKED: () => `Follow it with "${commandLine('watch')}", or wait until it is over.`,
  NOTHING_TO_APPLY: () => `To keep answers for later: ${commandLine('run', '--apply', 'never')}`,
  NO_COPY: (ids) =>
    `Copies of attempts that fail stay with: ${commandLine('run', '--keep')}\nWhat a run changed: ${commandLine('diff', ...ids)}`,
  RUN_NOT_RUNNING: (ids) => `See how it ended: ${commandLine('status', ...ids)}`,
  NO_API_KEY: () =>
    `Run ${commandLine('login')}, or set MILLRACE_API_KEY. No key yet? Create one on the machine of the server:\n  ${commandWithout('--url', 'api-keys', 'create')}`,
  NO_SERVER: () => `Start one with: ${commandLine('serve')}\nOr wait for the end here: add --wait.`,
};

/** Lists that are worth a line each. */
function messageOf({ code, message, items }: OrchestratorError): string {
  if (code !== 'CONFLICT') return plain(message);
  return [plain(message), ...items.map((path) => `  ${plain(path)}`)].join('\n');
}

export function toCommandError(error: OrchestratorError): CommandError {
  const { code, items } = error;
  return new CommandError({
    code: code === 'NO_API_KEY' ? 'CONFIG_INVALID' : code,
    message: messageOf(error),
    hint: plain(error.hint ?? HINTS[code]?.(items) ?? ''),
    exit: EXIT[error.exit],
  });
}
