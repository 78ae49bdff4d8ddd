// The commands as completion needs them, read from the program itself: a command or a flag that
// exists is completed.
import type { Command, Option } from 'commander';
import { PUBLIC_PROVIDERS } from '../../../domain/model/model-routing.ts';

/** Where the values of a flag or an argument come from. */
export type ValueSource =
  | { kind: 'none' }
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' }
  | { kind: 'folders' }
  /** `millrace __complete <what>` prints them. */
  | { kind: 'asked'; what: 'runs' | 'streams' };

export interface FlagEntry {
  /** Every way to write it: `-q`, `--quiet`. */
  names: readonly string[];
  summary: string;
  /** Undefined for a flag without a value. */
  values: ValueSource | undefined;
}

export interface CommandEntry {
  /** The words after `millrace`: empty for the program itself. */
  path: readonly string[];
  commands: readonly { name: string; summary: string }[];
  flags: readonly FlagEntry[];
  values: ValueSource;
}

const NONE: ValueSource = { kind: 'none' };

/** By the name of the argument, as help shows it. */
const BY_NAME: Readonly<Record<string, ValueSource>> = {
  run: { kind: 'asked', what: 'runs' },
  stream: { kind: 'asked', what: 'streams' },
  manifest: { kind: 'files' },
  file: { kind: 'files' },
  files: { kind: 'files' },
  path: { kind: 'files' },
  list: { kind: 'files' },
  folder: { kind: 'folders' },
  shell: { kind: 'words', words: ['bash', 'zsh', 'fish'] },
  provider: { kind: 'words', words: PUBLIC_PROVIDERS },
};
/** Lists of names, not of files. */
const OTHER_LISTS = new Set(['--scopes', '--provider-concurrency']);

function valuesOf(option: Option): ValueSource | undefined {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices) return { kind: 'words', words: option.argChoices };
  if (OTHER_LISTS.has(option.long ?? '')) return NONE;
  const [, name = ''] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return BY_NAME[name] ?? NONE;
}

function flagsOf(command: Command, help: { visibleOptions(of: Command): Option[] }): FlagEntry[] {
  return help.visibleOptions(command).map((option) => ({
    names: [option.short, option.long].flatMap((name) => name ?? []),
    summary: option.description,
    values: valuesOf(option),
  }));
}

export function commandTable(program: Command): CommandEntry[] {
  const help = program.createHelp();
  const globals = flagsOf(program, help);
  const visit = (command: Command, path: readonly string[]): CommandEntry[] => {
    const [argument] = command.registeredArguments;
    const below = help.visibleCommands(command);
    const own = command === program ? [] : flagsOf(command, help);
    const seen = new Set(own.flatMap(({ names }) => names));
    const entry: CommandEntry = {
      path,
      commands: below.map((each) => ({ name: each.name(), summary: each.summary() })),
      flags: [...own, ...globals.filter(({ names }) => !names.some((name) => seen.has(name)))],
      values: argument?.argChoices
        ? { kind: 'words', words: argument.argChoices }
        : (BY_NAME[argument?.name() ?? ''] ?? NONE),
    };
    return [entry, ...below.flatMap((each) => visit(each, [...path, each.name()]))];
  };
  return visit(program, []);
}
