// millrace admin: the accounts of a server, for the person at its machine. Works on its database, beside
// a running server.
import { Argument, type Command } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import { withPageFlags } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { withDatabaseFlags } from '../server/database-flags.ts';
import { changeTier, resume, suspend } from './change-access.ts';
import { createAdmin } from './create.ts';
import { resetPassword, signInLink } from './links.ts';
import { listTeams, listUsers } from './lists.ts';

const searched = (command: Command) =>
  withDatabaseFlags(
    withPageFlags(
      command.option('--search <text>', 'part of an email address or a name, or a whole id'),
      { limit: 50, before: 'only those created before this one' },
    ),
  );
const accountOrTeam = (command: Command) =>
  command.argument('<account-or-team>', 'email address of an account, or id or slug of a team');
const withReason = (command: Command) =>
  withDatabaseFlags(command.option('--reason <text>', 'noted in the audit log'));

export const ADMIN: Resource = {
  noun: 'admin',
  summary: 'manage the accounts and teams of this server',
  examples: [
    'admin create --email you@example.com',
    'admin reset-password --email jane@example.com',
    'admin sign-in-link',
    'admin users --search example.com',
    'admin tier platform team',
    'admin suspend jane@example.com',
  ],
  actions: [
    {
      name: 'create',
      summary: 'create a server administrator; asks for the password, or reads standard input',
      examples: [
        'admin create --email you@example.com',
        'admin create --email you@example.com --name "Jane Walker" < password.txt',
      ],
      input: (command) =>
        withDatabaseFlags(
          command
            .requiredOption(
              '--email <address>',
              'the account; one that exists gets the new password',
            )
            .option('--name <name>', 'the name of the person'),
        ),
      run: createAdmin,
    },
    {
      name: 'reset-password',
      summary: 'print a link to set a new password with',
      examples: ['admin reset-password --email jane@example.com'],
      input: (command) =>
        withDatabaseFlags(command.requiredOption('--email <address>', 'the account')),
      run: resetPassword,
    },
    {
      name: 'sign-in-link',
      summary: 'print a link that signs an account in',
      examples: ['admin sign-in-link', 'admin sign-in-link --email jane@example.com'],
      input: (command) =>
        withDatabaseFlags(
          command
            .option('--email <address>', 'the account (default: the local owner of the server)')
            .option(
              '--port <number>',
              'port of the server, where it cannot be found by its data folder',
            ),
        ),
      run: signInLink,
    },
    {
      name: 'users',
      summary: 'list the accounts of this server, newest first',
      examples: ['admin users', 'admin users --search example.com --json'],
      input: searched,
      run: listUsers,
    },
    {
      name: 'teams',
      summary: 'list the teams of this server, newest first',
      examples: ['admin teams', 'admin teams --search platform'],
      input: searched,
      run: listTeams,
    },
    {
      name: 'tier',
      summary: 'change the tier of a team, at once',
      examples: [
        'admin tier platform team',
        'admin tier jane@example.com pro --reason "invoice 2031"',
      ],
      input: (command) =>
        withReason(
          command
            .argument('<team>', 'id or slug of the team, or an email address for its personal team')
            .addArgument(new Argument('<tier>', 'the new tier').choices(TIER_NAMES)),
        ),
      run: changeTier,
    },
    {
      name: 'suspend',
      summary:
        'refuse all requests of an account or a team; pending jobs fail, running jobs end normally',
      examples: [
        'admin suspend jane@example.com --reason "unpaid"',
        'admin suspend platform --yes',
      ],
      input: (command) => withReason(accountOrTeam(command).option('--yes', 'do not ask')),
      run: suspend,
    },
    {
      name: 'resume',
      summary: 'lift the suspension of an account or a team',
      examples: ['admin resume jane@example.com'],
      input: (command) => withReason(accountOrTeam(command)),
      run: resume,
    },
  ],
};
