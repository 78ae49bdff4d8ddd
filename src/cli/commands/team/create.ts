// millrace team create
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addTeamCreate(team: Command, act: Act): void {
  describe(team.command('create'), 'create a team; you become its owner', [
    'team create "Platform"',
  ])
    .argument('<name>', 'the name of the team')
    .action(act(async () => create));
}

async function create(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const team = await client.teams.create({ name: args[0] ?? '' });
  if (options['json']) print(JSON.stringify(team));
  else {
    print(`Created ${plain(team.name)} (${team.slug}).`);
    note(
      `Work in it with --team ${team.slug}, or always: ${commandLine('config', 'set', 'team', team.slug)}`,
    );
  }
  return EXIT.ok;
}
