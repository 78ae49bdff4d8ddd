// Settings that were named for this call and that the tools use from now on.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { APPLY_MODES } from '../../settings/settings-files.ts';
import { commandLine } from '../../command-name.ts';

export const VARIABLES = {
  url: 'MILLRACE_URL',
  team: 'MILLRACE_TEAM',
  profile: 'MILLRACE_PROFILE',
  workspace: 'MILLRACE_WORKSPACE',
  apply: 'MILLRACE_APPLY',
  dataDir: 'MILLRACE_DATA_DIR',
} as const;

export function givenSettings(options: CommandOptions): Record<string, string> {
  if (options['apiKey'] !== undefined) {
    throw usageError(
      'Keys are not written into config files.',
      `Run ${commandLine('login')}, or set MILLRACE_API_KEY in the environment of your assistant.`,
    );
  }
  if (options['databaseUrl'] !== undefined) {
    throw usageError(
      'Database URLs are not written into config files: they may hold a password.',
      `Start a server with ${commandLine('serve')}, and name it with --url.`,
    );
  }
  checkUrl(options['url']);
  checkApply(options['apply']);
  const values = {
    ...options,
    workspace: workspaceOf(options['workspace']),
    dataDir: typeof options['dataDir'] === 'string' ? resolve(options['dataDir']) : undefined,
  };
  const given = Object.entries(VARIABLES).map(([name, variable]) => [
    variable,
    values[name as keyof typeof values],
  ]);
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;
}

/** In full: the assistant starts the tools in a folder of its own choice. */
function workspaceOf(value: string | boolean | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const folder = resolve(value);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw usageError(`--workspace ${value}: no such folder.`, 'Name a folder that exists.');
}

function checkApply(value: string | boolean | undefined): void {
  if (value === undefined || APPLY_MODES.some((mode) => mode === value)) return;
  throw usageError(`--apply "${value}": use ${APPLY_MODES.join(', ')}.`);
}

function checkUrl(value: string | boolean | undefined): void {
  if (typeof value !== 'string') return;
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError('--url is not an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('--url has a user or password in it.', 'Leave them out of the URL.');
  }
}
