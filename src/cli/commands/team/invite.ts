// millrace team invite
import type { Command } from 'commander';
import { Option } from 'commander';
import { ROLES } from '../../../contract/permissions.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { openSharedTeam } from './own-team.ts';

export const roleFlag = () =>
  new Option('--role <role>', 'what the person may do').choices(ROLES).default('member');

export function addTeamInvite(team: Command, act: Act): void {
  describe(team.command('invite'), 'invite a person; prints a link to send them', [
    'team invite jane@example.com --team platform',
    'team invite jane@example.com --role viewer --team platform',
  ])
    .argument('<email>', 'their email address')
    .addOption(roleFlag())
    .action(act(async () => invite));
}

async function invite(options: CommandOptions, args: string[]): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const role = String(options['role']);
  const member = await client.teams.addMember(team.id, { email: args[0] ?? '', role });
  if (options['json']) {
    print(JSON.stringify(member));
    return EXIT.ok;
  }
  const { url = null, mailed = false } = member.invitation ?? {};
  const what = `It works once, for 7 days, and lets them into ${plain(team.name)} as ${member.role}.`;
  if (url !== null) {
    print(url);
    note(`Send this link to ${plain(member.email)}. ${what}`);
  } else if (mailed) {
    note(`A link is on its way to ${plain(member.email)}. ${what}`);
  } else {
    note(`The mail server does not take anything. Invite ${plain(member.email)} again later.`);
  }
  return EXIT.ok;
}
