// millrace admin teams
import type { Command } from 'commander';
import type { AdminTeam } from '../../../contract/admin-api.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { showUsd } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { noteMore, pageOf, withPageFlags } from './page-flags.ts';
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
  if (options['json']) {
    print(JSON.stringify(page));
    return EXIT.ok;
  }
  if (page.items.length === 0) {
    note('No teams found.');
    return EXIT.ok;
  }
  printTable<AdminTeam>(
    [
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
    page.items,
  );
  noteMore('teams', page, query);
  return EXIT.ok;
}
