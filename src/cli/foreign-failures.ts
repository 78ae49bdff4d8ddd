// Failures that others report: the server, Node, the driver of the database. They know no commands and no exit codes.
import { MillraceConnectionError, MillraceError } from '../client/index.ts';
import { routeModel } from '../domain/model/model-routing.ts';
import { isCertificateRefused, isUnavailable } from '../store/postgres/errors.ts';
import { commandWithout } from './command-name.ts';
import type { CommandOptions } from './command.ts';
import { EXIT } from './exit-codes.ts';
import type { Failure } from './failure.ts';
import { adviceFor } from './failure-hints.ts';
import { readClientSettings } from './settings/client-settings.ts';
import type { ClientSettings } from './settings/client-settings.ts';

export async function foreignFailure(
  error: unknown,
  options: CommandOptions,
  command: string,
): Promise<Failure | undefined> {
  if (error instanceof MillraceError) return failureOfApi(error, options, command);
  if (error instanceof MillraceConnectionError) {
    const hint = `Start a server with: ${commandWithout('--url', 'serve')}\nOr set MILLRACE_URL to the address of yours.`;
    const message = `Could not reach the server${serverOf(options)}.`;
    return { code: 'UNREACHABLE', message, hint, exit: EXIT.unreachable };
  }
  if (isListenError(error)) {
    const message = `Cannot listen on ${error.address}:${error.port}: ${error.code}.`;
    const hint = 'Choose another port with --port (0: any free one), or stop what uses this one.';
    return { code: error.code, message, hint, exit: EXIT.failed };
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
  return undefined;
}

/** As far as they are known: what failed may be the settings themselves. */
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

async function failureOfApi(
  error: MillraceError,
  options: CommandOptions,
  command: string,
): Promise<Failure> {
  const { status, details } = error;
  const detail = Array.isArray(details) ? (details[0] as { code?: string } | undefined) : undefined;
  const code = detail?.code ?? error.code;
  const isSignedIn = status < 500 && settingsOf(options)?.isSignedIn === true;
  const call = { details, options, command, isSignedIn, provider: providerOf(options) };
  const advice =
    (await adviceFor({ ...call, code })) ?? (await adviceFor({ ...call, code: error.code }));
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
