// Adds the entry of Millrace to the config file of a host, or removes it.
import type { CommandOptions } from '../../command.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { note, print } from '../../terminal/output.ts';
import { findConfigFile, writeConfigFile } from './config-file.ts';
import type { ConfigFile } from './config-file.ts';
import { changeEntry } from './edit/change-entry.ts';
import type { EntryChange } from './edit/change-entry.ts';
import { ConfigSyntaxError } from './edit/config-edit.ts';
import type { Entry, EntryPath } from './edit/config-edit.ts';
import { givenSettings } from './given-settings.ts';
import { HOSTS } from './hosts.ts';
import type { Host, HostName, Scope } from './hosts.ts';
import { launchOf, thisInstallation } from './launch.ts';
import { showChange } from './show-change.ts';

interface Target {
  hostName: HostName;
  host: Host;
  scope: Scope;
  path: EntryPath;
}

function targetOf(options: CommandOptions, args: readonly string[]): Target {
  const hostName = args[0] as HostName;
  const host: Host = HOSTS[hostName];
  const name = String(options['name']);
  // What every host accepts, and what needs no quotes in any format.
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw usageError(
      `Invalid name "${name}".`,
      'Use letters, digits, "-" and "_", at most 64, the first one a letter or digit.',
    );
  }
  const scope = (options['scope'] as Scope | undefined) ?? host.defaultScope;
  return { hostName, host, scope, path: [host.container, name] };
}

function change(file: ConfigFile, { host, path }: Target, entry: Entry | undefined): EntryChange {
  try {
    return changeEntry(file.text ?? '', host.format, path, entry);
  } catch (error) {
    if (!(error instanceof ConfigSyntaxError)) throw error;
    throw new CommandError({
      code: 'CONFIG_FILE_INVALID',
      message: `${file.path}:${error.line}:${error.column}: ${error.message}. Nothing was written.`,
      hint: 'Fix the file, then run the command again.',
    });
  }
}

/** What happened, for programs. */
function report(target: Target, file: ConfigFile, action: string, entry?: Entry) {
  const { hostName: host, scope, path } = target;
  print(
    JSON.stringify({
      host,
      scope,
      path: file.path,
      name: path[1],
      action,
      ...(entry === undefined ? {} : { entry }),
    }),
  );
}

async function mustConfirm(options: CommandOptions, question: string): Promise<void> {
  if (await confirmed(options, question)) return;
  throw usageError('Nothing was written.', 'Pass --yes to write it without a question.');
}

export async function install(options: CommandOptions, args: string[]): Promise<number> {
  const target = targetOf(options, args);
  const { host, scope, path } = target;
  const given = givenSettings(options);
  const launch = launchOf(thisInstallation(process.env));
  const entry = host.entry({ launch, given, env: process.env });
  if (options['print']) {
    if (options['json']) print(JSON.stringify({ host: target.hostName, name: path[1], entry }));
    else print(host.format.document(path, entry).trimEnd());
    return EXIT.ok;
  }
  const file = findConfigFile(host, scope, process.env);
  const changed = change(file, target, entry);
  if (changed.kind === 'unchanged') {
    if (options['json']) report(target, file, 'unchanged', entry);
    else note(`${path[1]} is already set up for ${host.label} in ${file.path}.`);
    return EXIT.ok;
  }
  showChange(file.path, file.text, changed.text);
  const question = changed.kind === 'updated' ? `Replace ${path[1]} in ` : `Add ${path[1]} to `;
  await mustConfirm(options, `${question}${file.path}?`);
  await writeConfigFile(file, scope, changed.text);
  if (options['json']) report(target, file, changed.kind, entry);
  else {
    print(`${changed.kind === 'updated' ? 'Updated' : 'Added'} ${path[1]} in ${file.path}.`);
    if (scope === 'project' && launch.command.startsWith('/'))
      note('The entry names a path of this machine: do not commit it for others.');
    note(host.next);
  }
  return EXIT.ok;
}

export async function uninstall(options: CommandOptions, args: string[]): Promise<number> {
  const target = targetOf(options, args);
  const { host, scope, path } = target;
  const file = findConfigFile(host, scope, process.env);
  const changed = file.text === undefined ? undefined : change(file, target, undefined);
  if (changed === undefined || changed.kind === 'unchanged') {
    if (options['json']) report(target, file, 'absent');
    else note(`${path[1]} is not in ${file.path}.`);
    return EXIT.ok;
  }
  showChange(file.path, file.text, changed.text);
  await mustConfirm(options, `Remove ${path[1]} from ${file.path}?`);
  await writeConfigFile(file, scope, changed.text);
  if (options['json']) report(target, file, 'removed');
  else print(`Removed ${path[1]} from ${file.path}.`);
  return EXIT.ok;
}
