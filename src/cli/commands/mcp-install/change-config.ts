// Adds the entry of Millrace to the config file of a host, or removes it.
import { isAbsolute, resolve } from 'node:path';
import type { CommandOptions } from '../../command.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
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
import { HOSTS, SCOPES } from './hosts.ts';
import type { Host, HostName, Scope } from './hosts.ts';
import { launchOf, thisInstallation } from './launch.ts';
import type { Launch } from './launch.ts';
import { mergeEntry } from './merge-entry.ts';
import { remoteEntry } from './remote-entry.ts';
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
  const text = file.text ?? '';
  try {
    const before = entry && host.format.find(text.replace('\ufeff', ''), path);
    return changeEntry(text, host.format, path, entry && mergeEntry(before, entry));
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

/** The tools act on the data folder that this call names. */
function dataDirArguments({ dataDir }: CommandOptions): string[] {
  return typeof dataDir === 'string' ? ['--data-dir', resolve(dataDir)] : [];
}

/** There is no variable for it. */
function withModel({ command, args }: Launch, model: string | boolean | undefined): Launch {
  return { command, args: typeof model === 'string' ? [...args, '--model', model] : args };
}

export async function install(options: CommandOptions, args: string[]): Promise<number> {
  const target = targetOf(options, args);
  const { host, scope, path } = target;
  const given = givenSettings(options);
  const found = launchOf(thisInstallation(process.env));
  const placed = { ...found, args: [...found.args, ...dataDirArguments(options)] };
  const launch = withModel(placed, options['model']);
  const isRemote = options['remote'] === true;
  const entry = isRemote
    ? remoteEntry(target.hostName, options, given)
    : host.entry({ launch, given, env: process.env });
  if (options['print']) {
    if (options['json']) print(JSON.stringify({ host: target.hostName, name: path[1], entry }));
    else print(host.format.document(path, entry).trimEnd());
    note(`For ${host.label}. Nothing was written.`);
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
    const hasOwnPath = isAbsolute(launch.command) || 'MILLRACE_WORKSPACE' in given;
    if (scope === 'project' && hasOwnPath && !isRemote)
      note('The entry names a path of this machine: do not commit it for others.');
    if (isRemote) note(`Set MILLRACE_API_KEY where ${host.label} is started.`);
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
    else {
      note(`${path[1]} is not in ${file.path}.`);
      nameOtherScope(target);
    }
    return EXIT.ok;
  }
  showChange(file.path, file.text, changed.text);
  await mustConfirm(options, `Remove ${path[1]} from ${file.path}?`);
  await writeConfigFile(file, scope, changed.text);
  if (options['json']) report(target, file, 'removed');
  else print(`Removed ${path[1]} from ${file.path}.`);
  return EXIT.ok;
}

/** Where it is instead, if it is there. */
function nameOtherScope(target: Target): void {
  const { hostName, host, path } = target;
  const scope = SCOPES.find((each) => each !== target.scope)!;
  try {
    const { text, path: file } = findConfigFile(host, scope, process.env);
    if (text === undefined || host.format.find(text.replace('\ufeff', ''), path) === undefined)
      return;
    const name = path[1] === 'millrace' ? [] : ['--name', path[1]];
    const command = commandLine('mcp', 'uninstall', hostName, '--scope', scope, ...name);
    note(`It is in ${file}. Remove it there with: ${command}`);
  } catch {
    // Only a hint: a file that cannot be read has no say in this.
  }
}
