// How a command fails: what went wrong, and what to do.
import { dirname } from 'node:path';
import { ProcessStartError } from '../app/processes/process-start-error.ts';
import { MillraceConnectionError, MillraceError } from '../client/index.ts';
import { ConfigError } from '../config/config-error.ts';
import { ServiceError } from '../contract/errors.ts';
import { StateDamagedError, StateNotOursError } from '../orchestrator/state/state-errors.ts';
import { KeyringError } from '../platform/keyring.ts';
import { UnusableFolderError } from '../platform/make-folder.ts';
import { PriceFileError } from '../providers/price-file-error.ts';
import { MasterKeyMismatchError } from '../services/provider-keys/secrets.ts';
import { BackupError } from '../store/backup/backup-error.ts';
import { DataFolderInUseError } from '../store/embedded/data-lock.ts';
import { OtherMajorVersionError } from '../store/embedded/placement.ts';
import {
  DatabaseUnsuitableError,
  isCertificateRefused,
  isUnavailable,
} from '../store/postgres/errors.ts';
import { routeModel } from '../domain/model/model-routing.ts';
import { CommandError } from './command-error.ts';
import { commandWithout } from './command-name.ts';
import type { CommandOptions } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { adviceFor } from './failure-hints.ts';
import { readClientSettings } from './settings/client-settings.ts';
import type { ClientSettings } from './settings/client-settings.ts';
import { hideSecrets } from './terminal/hide-secrets.ts';
import { complain, print } from './terminal/output.ts';

export interface Failure {
  code: string;
  message: string;
  hint?: string;
  exit: number;
}

export function failureOf(error: unknown, options: CommandOptions = {}, command = ''): Failure {
  if (error instanceof CommandError) {
    const { code, message, hint, exit } = error;
    return { code, message, hint, exit };
  }
  if (error instanceof ProcessStartError) return error.failure;
  if (
    error instanceof ConfigError ||
    error instanceof KeyringError ||
    error instanceof PriceFileError
  ) {
    const hint = 'See docs/config.md for every setting.';
    return { code: 'CONFIG_INVALID', message: error.message, hint, exit: EXIT.usage };
  }
  if (error instanceof ServiceError) {
    const exit = error.code === 'VALIDATION_ERROR' ? EXIT.usage : EXIT.failed;
    return { code: error.code, message: error.message, exit };
  }
  if (error instanceof UnusableFolderError) {
    return { code: 'FOLDER_UNUSABLE', message: error.message, exit: EXIT.usage };
  }
  if (error instanceof DataFolderInUseError) {
    return { code: 'DATA_FOLDER_IN_USE', message: error.message, exit: EXIT.failed };
  }
  if (error instanceof OtherMajorVersionError) {
    return { code: 'DATABASE_OTHER_VERSION', message: error.message, exit: EXIT.failed };
  }
  if (error instanceof BackupError) {
    return { code: error.code, message: error.message, exit: EXIT.failed };
  }
  if (error instanceof DatabaseUnsuitableError) {
    return { code: 'DATABASE_UNSUITABLE', message: error.message, exit: EXIT.failed };
  }
  if (error instanceof MasterKeyMismatchError) {
    return { code: 'MASTER_KEY_MISMATCH', message: error.message, exit: EXIT.failed };
  }
  if (error instanceof StateNotOursError) {
    const hint = 'Move it away, or set MILLRACE_STATE_DIR to a folder that belongs to you.';
    return { code: 'STATE_FOLDER_UNUSABLE', message: error.message, hint, exit: EXIT.usage };
  }
  if (error instanceof StateDamagedError) {
    const hint = `Move ${dirname(error.file)} out of the way to start over; your project files stay as they are.`;
    return { code: 'STATE_DAMAGED', message: error.message, hint, exit: EXIT.failed };
  }
  if (isListenError(error)) {
    const message = `Cannot listen on ${error.address}:${error.port}: ${error.code}.`;
    const hint = 'Choose another port with --port (0: any free one), or stop what uses this one.';
    return { code: error.code, message, hint, exit: EXIT.failed };
  }
  if (error instanceof MillraceError) return failureOfApi(error, options, command);
  if (error instanceof MillraceConnectionError) {
    const hint = `Start a server with: ${commandWithout('--url', 'serve')}\nOr set MILLRACE_URL to the address of yours.`;
    const message = `Could not reach the server${serverOf(options)}.`;
    return { code: 'UNREACHABLE', message, hint, exit: EXIT.unreachable };
  }
  if (isCertificateRefused(error)) {
    const message = `The certificate of the database was not accepted: ${error.message}.`;
    const hint =
      'Add sslrootcert=FILE to DATABASE_URL, or use sslmode=require to encrypt without checking it. See docs/databases.md.';
    return { code: 'DATABASE_CERTIFICATE', message, hint, exit: EXIT.usage };
  }
  if (isUnavailable(error)) {
    const message = `Could not reach the database: ${(error as Error).message}`;
    const hint = 'Check DATABASE_URL, or unset it to use the embedded database.';
    return { code: 'DATABASE_UNREACHABLE', message, hint, exit: EXIT.unreachable };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'FAILED', message, exit: EXIT.failed };
}

/** As far as they can be told: what failed may be the settings themselves. */
function settingsOf(options: CommandOptions): ClientSettings | undefined {
  try {
    return readClientSettings(options, process.env, process.cwd());
  } catch {
    return undefined;
  }
}

/** Where the command looked for it. */
function serverOf(options: CommandOptions): string {
  const settings = settingsOf(options);
  return settings === undefined ? '' : ` at ${settings.url.value}`;
}

function exitOfApi(status: number, code: string): number {
  if (status === 401 || status === 403) return EXIT.notAuthorised;
  if (status === 402 || status === 429) return EXIT.limited;
  if (status >= 500) return EXIT.unreachable;
  // The command was right; it is the key that is not.
  return status === 400 && code !== 'PROVIDER_REJECTED_KEY' ? EXIT.usage : EXIT.failed;
}

/** Of the model that the command named: the server's answer does not say. */
function providerOf({ model, provider }: CommandOptions): string | undefined {
  if (typeof model !== 'string') return undefined;
  const named = typeof provider === 'string' ? { provider } : {};
  const route = routeModel(model, named);
  return route.kind === 'routed' ? route.provider : undefined;
}

function failureOfApi(error: MillraceError, options: CommandOptions, command: string): Failure {
  const { status, details } = error;
  const detail = Array.isArray(details) ? (details[0] as { code?: string } | undefined) : undefined;
  const code = detail?.code ?? error.code;
  const isSignedIn = status < 500 && settingsOf(options)?.isSignedIn === true;
  const call = { details, options, command, isSignedIn, provider: providerOf(options) };
  const advice = adviceFor({ ...call, code }) ?? adviceFor({ ...call, code: error.code });
  return {
    code,
    message: advice?.message ?? error.message,
    ...(advice?.hint === undefined ? {} : { hint: advice.hint }),
    exit: exitOfApi(status, code),
  };
}

function isListenError(
  error: unknown,
): error is NodeJS.ErrnoException & { address: string; port: number; code: string } {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}

/** From the error itself to what is behind it all. */
function explainCauses(error: unknown): void {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && !causes.includes(at); at = at.cause) causes.push(at);
  for (const cause of causes) {
    complain(hideSecrets(cause.stack ?? `${cause.name}: ${cause.message}`));
  }
}

export function reportFailure(error: unknown, options: CommandOptions, command: string): number {
  const { exit, ...failure } = failureOf(error, options, command);
  failure.message = hideSecrets(failure.message);
  if (options['json']) print(JSON.stringify({ error: failure }));
  else {
    complain(`Error: ${failure.message}`);
    if (failure.hint) complain(failure.hint);
  }
  if (options['verbose']) explainCauses(error);
  return exit;
}
