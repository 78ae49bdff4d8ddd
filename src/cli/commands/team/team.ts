// millrace team: teams and who is in them, over the API of a server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addTeamCreate } from './create.ts';
import { addTeamDelete } from './delete.ts';
import { addTeamInvite } from './invite.ts';
import { addTeamList } from './list.ts';
import { addTeamMembers } from './members.ts';
import { addTeamUpdate } from './update.ts';

export function addTeam(program: Command, act: Act): void {
  const team = describe(program.command('team'), 'manage teams and their members', [
    'team list',
    'team create "Platform"',
    'team invite jane@example.com --role member --team platform',
    'team update --budget 200 --team platform',
  ]).helpCommand(false);
  addTeamList(team, act);
  addTeamCreate(team, act);
  addTeamUpdate(team, act);
  addTeamDelete(team, act);
  addTeamMembers(team, act);
  addTeamInvite(team, act);
}
