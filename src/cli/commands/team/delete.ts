// millrace team delete
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findTeam } from '../../team-choice.ts';

export function addTeamDelete(team: Command, act: Act): void {
  describe(team.command('delete'), 'delete a team, its keys and its invitations', [
    'team delete platform',
  ])
    .argument('<team>', 'slug, name or id')
    .action(act(async () => remove));
}

async function remove(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const team = await findTeam(client, args[0] ?? '');
  const question = `Delete ${plain(team.name)} with its ${team.memberCount} members? This cannot be undone.`;
  if (!(await confirmed(options, question))) {
    throw usageError('Not deleted.', 'Pass --yes to delete without a question.');
  }
  const deleted = await client.teams.remove(team.id);
  print(options['json'] ? JSON.stringify(deleted) : `Deleted ${plain(team.name)}.`);
  return EXIT.ok;
}
