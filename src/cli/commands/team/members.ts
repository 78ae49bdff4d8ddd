// What millrace team does with the members of a team.
import type { Member, MillraceClient, Team } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { openSharedTeam, openTeam } from './own-team.ts';

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

export async function listMembers(options: CommandOptions): Promise<number> {
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

export async function changeRole(
  options: CommandOptions,
  [asked = '', role = '']: string[],
): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const member = await findMember(client, team, asked);
  const changed = await client.teams.changeRole(team.id, member.userId, role);
  return showOutcome(options, {
    document: changed,
    text: `${plain(changed.email)} is ${changed.role} in ${plain(team.name)}.`,
  });
}

export async function removeMember(
  options: CommandOptions,
  [asked = '']: string[],
): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const member = await findMember(client, team, asked);
  const removed = await client.teams.removeMember(team.id, member.userId);
  return showOutcome(options, {
    document: removed,
    text: `Removed ${plain(member.email)} from ${plain(team.name)}.`,
  });
}

export async function leaveTeam(options: CommandOptions): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  if (!(await confirmed(options, `Leave ${plain(team.name)}?`))) {
    throw usageError('You are still a member.', 'Pass --yes to leave without a question.');
  }
  const { user } = await client.me();
  const removed = await client.teams.removeMember(team.id, user.id);
  return showOutcome(options, { document: removed, text: `You left ${plain(team.name)}.` });
}

export async function inviteMember(
  options: CommandOptions,
  [email = '']: string[],
): Promise<number> {
  const { client, team } = await openSharedTeam(options);
  const role = String(options['role']);
  const member = await client.teams.addMember(team.id, { email, role });
  const { url = null, mailed = false } = member.invitation ?? {};
  const invited = plain(member.email);
  const what = `It works once, for 7 days, and lets them into ${plain(team.name)} as ${member.role}.`;
  if (url !== null) {
    const notes = [`Send this link to ${invited}. ${what}`];
    return showOutcome(options, { document: member, text: url, notes });
  }
  const status = mailed
    ? `A link is on its way to ${invited}. ${what}`
    : `The mail server does not take anything. Invite ${invited} again later.`;
  return showOutcome(options, { document: member, notes: [status] });
}
