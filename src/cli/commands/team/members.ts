// millrace team members, role, remove and leave
import type { Command } from 'commander';
import { Argument } from 'commander';
import type { Member, MillraceClient, Team } from '../../../client/index.ts';
import { ROLES } from '../../../contract/permissions.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { showList } from '../../show-list.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { localTime } from '../../terminal/local-time.ts';
import { print } from '../../terminal/output.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { openSharedTeam, openTeam } from './own-team.ts';

const WHO = 'email address or user id';

export function addTeamMembers(team: Command, act: Act): void {
  describe(team.command('members'), 'list the members of a team, and who is invited', [
    'team members --team platform',
  ]).action(act(async () => list));
  describe(team.command('role'), 'change the role of a member', [
    'team role jane@example.com admin --team platform',
  ])
    .argument('<member>', WHO)
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .action(act(async () => changeRole));
  describe(team.command('remove'), 'remove a member, or withdraw an invitation', [
    'team remove jane@example.com --team platform',
  ])
    .argument('<member>', WHO)
    .action(act(async () => remove));
  describe(team.command('leave'), 'leave a team', ['team leave --team platform']).action(
    act(async () => leave),
  );
}

async function findMember(client: MillraceClient, team: Team, asked: string): Promise<Member> {
  const { items } = await client.teams.members(team.id);
  const wanted = asked.toLowerCase();
  const found = items.find(
    ({ email, userId }) => userId === asked || email.toLowerCase() === wanted,
  );
  if (found) return found;
  throw new CommandError({
    code: 'NOT_FOUND',
    message: `${plain(team.name)} has no member ${plain(asked)}.`,
    hint: `List them with: ${commandLine('team', 'members', '--team', team.slug)}`,
  });
}

async function list(options: CommandOptions): Promise<number> {
  const { client, team } = await openTeam(options);
  const page = await client.teams.members(team.id);
  return showList<Member>(options, {
    document: page,
    rows: page.items,
    columns: [
      { head: 'EMAIL', text: ({ email }) => plain(email) },
      { head: 'ROLE', text: ({ role }) => role },
      statusColumn(({ status }) => status),
      {
        head: 'JOINED',
        text: ({ joinedAt }) => (joinedAt === null ? '-' : localTime(joinedAt)),
      },
      { head: 'NAME', text: ({ name }) => plain(name ?? ''), isFlexible: true },
    ],
  });
}

async function changeRole(options: CommandOptions, args: string[]): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const member = await findMember(client, team, args[0] ?? '');
  const changed = await client.teams.changeRole(team.id, member.userId, args[1] ?? '');
  const text = `${plain(changed.email)} is ${changed.role} in ${plain(team.name)}.`;
  print(options['json'] ? JSON.stringify(changed) : text);
  return EXIT.ok;
}

async function remove(options: CommandOptions, args: string[]): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const member = await findMember(client, team, args[0] ?? '');
  const removed = await client.teams.removeMember(team.id, member.userId);
  const text = `Removed ${plain(member.email)} from ${plain(team.name)}.`;
  print(options['json'] ? JSON.stringify(removed) : text);
  return EXIT.ok;
}

async function leave(options: CommandOptions): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  if (!(await confirmed(options, `Leave ${plain(team.name)}?`))) {
    throw usageError('You are still a member.', 'Pass --yes to leave without a question.');
  }
  const { user } = await client.me();
  const removed = await client.teams.removeMember(team.id, user.id);
  print(options['json'] ? JSON.stringify(removed) : `You left ${plain(team.name)}.`);
  return EXIT.ok;
}
