// millrace admin teams
import type { Command } from 'commander';
import type { AdminTeam } from '../../../contract/admin-api.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { showList } from '../../show-list.ts';
import { showUsd } from '../../terminal/figures.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { nextPage, pageOf, withPageFlags } from './page-flags.ts';
import { withServerAdmin } from './with-server-admin.ts';

export function addAdminTeams(admin: Command, act: Act): void {
  const teams = describe(admin.command('teams'), 'list the teams of this server, newest first', [
    'admin teams',
    'admin teams --search platform',
  ]);
  withPageFlags(teams).action(act(async () => listTeams));
}

async function listTeams(options: CommandOptions): Promise<number> {
  const query = pageOf(options);
  const page = await withServerAdmin(options, (admin) => admin.listTeams(null, query));
  return showList<AdminTeam>(options, {
    document: page,
    rows: page.items,
    columns: [
      { head: 'SLUG', text: ({ slug }) => slug },
      statusColumn(({ suspendedAt }) => (suspendedAt === null ? 'active' : 'suspended')),
      { head: 'TIER', text: ({ tier }) => tier },
      { head: 'MEMBERS', text: ({ memberCount }) => String(memberCount), isRight: true },
      { head: 'RUNS', text: ({ usage }) => String(usage.runs), isRight: true },
      { head: 'COST', text: ({ usage }) => showUsd(usage.costUsd), isRight: true },
      {
        head: 'OWNER',
        text: ({ ownerEmail, personal }) =>
          plain(ownerEmail ?? '') + (personal ? ' (personal)' : ''),
        isFlexible: true,
      },
    ],
    empty: 'No teams found.',
    more: nextPage('teams', page, query),
  });
}
