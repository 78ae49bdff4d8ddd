// Flags of the same name take the same kind of value, whatever the command.
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

interface Flag {
  command: string;
  name: string;
  value: string;
}

function flagsOf(command: Command, path: string[] = []): Flag[] {
  const own = command.options.flatMap((option) => {
    if (option.hidden || option.long === undefined) return [];
    const [value = ''] = /[<[].*[>\]]/.exec(option.flags) ?? [];
    return [{ command: path.join(' '), name: option.long, value }];
  });
  return [...own, ...command.commands.flatMap((each) => flagsOf(each, [...path, each.name()]))];
}

/** What the value of a flag is called, where several commands have it. */
const VALUES: Readonly<Record<string, string>> = {
  '--before': '<id>',
  '--concurrency': '<number>',
  '--data-dir': '<folder>',
  '--database-url': '<url>',
  '--detach': '',
  '--dry-run': '',
  '--email': '<address>',
  '--events': '<names>',
  '--force': '',
  '--limit': '<number>',
  '--max-cost': '<dollars>',
  '--max-tokens': '<number>',
  '--model': '<id>',
  '--name': '<name>',
  '--port': '<number>',
  '--provider': '<name>',
  '--reasoning': '<effort>',
  '--service-tier': '<tier>',
  '--status': '<status>',
};

it('a flag that several commands have takes the same value in each', async () => {
  const flags = flagsOf(await createProgram(() => async () => {}));
  const shared = Map.groupBy(flags, ({ name }) => name);
  for (const [name, uses] of shared) {
    if (uses.length === 1 || !(name in VALUES)) continue;
    for (const { command, value } of uses) {
      expect(`${command} ${name} ${value}`).toBe(`${command} ${name} ${VALUES[name]}`);
    }
  }
  expect(Object.keys(VALUES).filter((name) => !shared.has(name))).toEqual([]);
});

it('every time and every amount of money is written the same way', async () => {
  const flags = flagsOf(await createProgram(() => async () => {}));
  for (const { command, name, value } of flags) {
    expect(`${command} ${name} ${value}`).not.toMatch(/<(?:ms|milliseconds|minutes|usd|cents)>/);
  }
});
