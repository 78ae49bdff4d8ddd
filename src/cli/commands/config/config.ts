// millrace config: the settings of the command line, and where each of them comes from.
import type { Command } from 'commander';
import { Argument } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import { USER_SETTINGS, changeUserFile } from '../../settings/user-file.ts';
import { print } from '../../terminal/output.ts';
import { printTable } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';

const nameArgument = () => new Argument('<name>', 'the setting').choices(USER_SETTINGS);

export function addConfig(program: Command, act: Act): void {
  const config = describe(program.command('config'), 'show or change your settings', [
    'config list',
    'config set team platform',
    'config set url https://millrace.example.com',
    'config unset team',
  ]).helpCommand(false);
  describe(config.command('list'), 'show your settings and where they come from', [
    'config list',
  ]).action(act(async () => list));
  describe(config.command('get'), 'print one setting', ['config get url'])
    .addArgument(nameArgument())
    .action(act(async () => get));
  describe(config.command('set'), 'change a setting in your settings file', [
    'config set team platform',
  ])
    .addArgument(nameArgument())
    .argument('<value>', 'the new value')
    .action(act(async () => set));
  describe(config.command('unset'), 'remove a setting from your settings file', [
    'config unset team',
  ])
    .addArgument(nameArgument())
    .action(act(async () => unset));
}

type Name = (typeof USER_SETTINGS)[number];
type Shown = ReturnType<typeof shownSettings>[number];

/** Who starts a run wants the work done; what an assistant did is asked about. */
function originOf({ name, from }: Shown): string {
  return name === 'apply' && from === 'default' ? 'default; "run" uses auto' : plain(from ?? '-');
}

function shownSettings(settings: ClientSettings) {
  const names = [...USER_SETTINGS, 'apiKey'] as const;
  return names.map((name) => {
    const found = settings[name];
    const value = found && (name === 'apiKey' ? `${found.value.slice(0, 8)}...` : found.value);
    return { name, value: value ?? null, from: found?.from ?? null };
  });
}

async function list(options: CommandOptions): Promise<number> {
  const rows = shownSettings(readClientSettings(options, process.env, process.cwd()));
  if (options['json']) {
    print(JSON.stringify({ settings: rows }));
    return EXIT.ok;
  }
  printTable<Shown>(
    [
      { head: 'SETTING', text: ({ name }) => name },
      { head: 'VALUE', text: ({ value }) => plain(value ?? '-') },
      { head: 'FROM', text: originOf, isFlexible: true },
    ],
    rows,
  );
  return EXIT.ok;
}

async function get(options: CommandOptions, args: string[]): Promise<number> {
  const found = readClientSettings(options, process.env, process.cwd())[args[0] as Name];
  if (options['json'])
    print(
      JSON.stringify({ name: args[0], value: found?.value ?? null, from: found?.from ?? null }),
    );
  else print(plain(found?.value ?? ''));
  return EXIT.ok;
}

async function set(options: CommandOptions, args: string[]): Promise<number> {
  const path = await changeUserFile(process.env, args[0] as Name, args[1]);
  const changed = { name: args[0], value: args[1], path };
  print(
    options['json']
      ? JSON.stringify(changed)
      : `${args[0]} is now ${plain(args[1] ?? '')} (${path}).`,
  );
  return EXIT.ok;
}

async function unset(options: CommandOptions, args: string[]): Promise<number> {
  const path = await changeUserFile(process.env, args[0] as Name, undefined);
  const changed = { name: args[0], value: null, path };
  print(options['json'] ? JSON.stringify(changed) : `Removed ${args[0]} from ${path}.`);
  return EXIT.ok;
}
