// millrace admin users
import type { Command } from 'commander';
import type { AdminUser } from '../../../contract/admin-api.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { showList } from '../../show-list.ts';
import { showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { nextPage, pageOf, withPageFlags } from './page-flags.ts';
import { withServerAdmin } from './with-server-admin.ts';

export function addAdminUsers(admin: Command, act: Act): void {
  const users = describe(admin.command('users'), 'list the accounts of this server, newest first', [
    'admin users',
    'admin users --search example.com --json',
  ]);
  withPageFlags(users).action(act(async () => listUsers));
}

async function listUsers(options: CommandOptions): Promise<number> {
  const query = pageOf(options);
  const page = await withServerAdmin(options, (admin) => admin.listUsers(null, query));
  return showList<AdminUser>(options, {
    document: page,
    rows: page.items,
    columns: [
      {
        head: 'EMAIL',
        text: ({ email, isAdmin }) => plain(email) + (isAdmin ? ' (admin)' : ''),
        isFlexible: true,
      },
      statusColumn(({ suspendedAt }) => (suspendedAt === null ? 'active' : 'suspended')),
      { head: 'TIER', text: ({ tier }) => tier },
      { head: 'TEAMS', text: ({ teamCount }) => String(teamCount), isRight: true },
      { head: 'RUNS', text: ({ usage }) => String(usage.runs), isRight: true },
      { head: 'COST', text: ({ usage }) => showUsd(usage.costUsd), isRight: true },
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(lastUsedAt)),
      },
    ],
    empty: 'No accounts found.',
    more: nextPage('users', page, query),
  });
}
