// millrace team: teams and who is in them, over the API of a server.
import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import type { Team } from '../../../client/index.ts';
import { ROLES } from '../../../contract/permissions.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import type { Resource } from '../../resource.ts';
import { showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { findTeam } from '../../team-choice.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { plain } from '../../terminal/plain-text.ts';
import { changeRole, inviteMember, leaveTeam, listMembers, removeMember } from './members.ts';
import { updateTeam } from './update.ts';

const member = (command: Command) => command.argument('<member>', 'email address or user id');

async function listTeams(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const page = await client.teams.list();
  return showList<Team>(options, {
    document: page,
    rows: page.items,
    columns: [
      { head: 'SLUG', text: ({ slug }) => slug },
      { head: 'ROLE', text: ({ role }) => role },
      { head: 'TIER', text: ({ tier }) => tier },
      { head: 'MEMBERS', text: ({ memberCount }) => String(memberCount), isRight: true },
      {
        head: 'NAME',
        text: ({ name, personal }) => `${plain(name)}${personal ? ' (personal)' : ''}`,
        isFlexible: true,
      },
    ],
  });
}

async function createTeam(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const team = await client.teams.create({ name });
  const always = commandLine('config', 'set', 'team', team.slug);
  return showOutcome(options, {
    document: team,
    text: `Created ${plain(team.name)} (${team.slug}).`,
    notes: [`Work in it with --team ${team.slug}, or always: ${always}`],
  });
}

async function deleteTeam(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const team = await findTeam(client, asked);
  const question = `Delete ${plain(team.name)} with its ${team.memberCount} members? This cannot be undone.`;
  if (!(await confirmed(options, question))) {
    throw usageError('Not deleted.', 'Pass --yes to delete without a question.');
  }
  const deleted = await client.teams.remove(team.id);
  return showOutcome(options, { document: deleted, text: `Deleted ${plain(team.name)}.` });
}

export const TEAM: Resource = {
  noun: 'team',
  summary: 'manage teams and their members',
  examples: [
    'team list',
    'team create "Platform"',
    'team invite jane@example.com --role member --team platform',
    'team update --budget 200 --team platform',
  ],
  actions: [
    { name: 'list', summary: 'list your teams', examples: ['team list'], run: listTeams },
    {
      name: 'create',
      summary: 'create a team; you become its owner',
      examples: ['team create "Platform"'],
      input: (command) => command.argument('<name>', 'the name of the team'),
      run: createTeam,
    },
    {
      name: 'update',
      summary: 'change the name and settings of a team',
      examples: [
        'team update --name "Platform" --team platform',
        'team update --budget 200 --default-model claude-sonnet-5-5 --team platform',
        'team update --budget none',
        'team update --allowed-models "claude-*,gpt-*" --max-call-cost 2 --team platform',
      ],
      input: (command) =>
        command
          .option('--name <name>', 'the new name')
          .option('--default-model <model>', 'model for executions that name none, or none')
          .option('--budget <dollars>', 'most that may be spent a month, or none')
          .option('--retention-days <number>', 'how long jobs and runs are kept, or none')
          .option(
            '--allowed-models <list>',
            'models that may be used, with * as a wildcard, separated by commas; or none for all',
          )
          .option('--max-call-cost <dollars>', 'most that one job or call may cost, or none')
          .option(
            '--max-running-requests <number>',
            'most run requests that runners do at a time, or none',
          )
          .addOption(
            new Option(
              '--store-model-calls <choice>',
              'whether requests through the model endpoint are stored',
            ).choices(['on', 'off']),
          )
          .addOption(
            new Option(
              '--approval-by-other <choice>',
              'whether changes need the approval of another person than the author of the run',
            ).choices(['on', 'off']),
          ),
      run: updateTeam,
    },
    {
      name: 'delete',
      summary: 'delete a team, its keys and its invitations',
      examples: ['team delete platform'],
      input: (command) => command.argument('<team>', 'slug, name or id'),
      run: deleteTeam,
    },
    {
      name: 'members',
      summary: 'list the members of a team, and who is invited',
      examples: ['team members --team platform'],
      run: listMembers,
    },
    {
      name: 'role',
      summary: 'change the role of a member',
      examples: ['team role jane@example.com admin --team platform'],
      input: (command) =>
        member(command).addArgument(new Argument('<role>', 'the new role').choices(ROLES)),
      run: changeRole,
    },
    {
      name: 'remove',
      summary: 'remove a member, or withdraw an invitation',
      examples: ['team remove jane@example.com --team platform'],
      input: member,
      run: removeMember,
    },
    {
      name: 'leave',
      summary: 'leave a team',
      examples: ['team leave --team platform'],
      run: leaveTeam,
    },
    {
      name: 'invite',
      summary: 'invite a person; prints a link to send them',
      examples: [
        'team invite jane@example.com --team platform',
        'team invite jane@example.com --role viewer --team platform',
      ],
      input: (command) =>
        command
          .argument('<email>', 'their email address')
          .addOption(
            new Option('--role <role>', 'what the person may do').choices(ROLES).default('member'),
          ),
      run: inviteMember,
    },
  ],
};
