// The accounts and teams of this server: millrace admin users and teams.
import type { AdminListQuery, AdminTeam, AdminUser } from '../../../contract/admin-api.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { textOf } from '../../flag-values.ts';
import { pageOf } from '../../page-flags.ts';
import { showList } from '../../show-list.ts';
import { showUsd } from '../../terminal/figures.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import type { Column } from '../../terminal/table.ts';
import { withServerAdmin } from './with-server-admin.ts';

/** No server checks it on the way to the database. */
function queryOf(options: CommandOptions): AdminListQuery {
  const { limit, before } = pageOf(options);
  if (limit < 1 || limit > 100) throw usageError(`--limit ${limit}: must be 1 to 100`);
  return { limit, search: textOf(options, 'search'), before };
}

/** The command that shows what follows, if anything does. */
function nextPage(
  noun: 'users' | 'teams',
  { nextCursor }: { nextCursor: string | null },
  { search }: AdminListQuery,
): string | undefined {
  if (nextCursor === null) return undefined;
  const asked = search === undefined ? [] : ['--search', search];
  return commandLine('admin', noun, ...asked, '--before', nextCursor);
}

const ACCESS_AND_USAGE = {
  status: statusColumn(({ suspendedAt }: AdminUser | AdminTeam) =>
    suspendedAt === null ? 'active' : 'suspended',
  ),
  tier: { head: 'TIER', text: ({ tier }) => tier },
  runs: { head: 'RUNS', text: ({ usage }) => String(usage.runs), isRight: true },
  cost: { head: 'COST', text: ({ usage }) => showUsd(usage.costUsd), isRight: true },
} satisfies Record<string, Column<AdminUser | AdminTeam>>;

export async function listUsers(options: CommandOptions): Promise<number> {
  const query = queryOf(options);
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
      ACCESS_AND_USAGE.status,
      ACCESS_AND_USAGE.tier,
      { head: 'TEAMS', text: ({ teamCount }) => String(teamCount), isRight: true },
      ACCESS_AND_USAGE.runs,
      ACCESS_AND_USAGE.cost,
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(lastUsedAt)),
      },
    ],
    empty: 'No accounts found.',
    more: nextPage('users', page, query),
  });
}

export async function listTeams(options: CommandOptions): Promise<number> {
  const query = queryOf(options);
  const page = await withServerAdmin(options, (admin) => admin.listTeams(null, query));
  return showList<AdminTeam>(options, {
    document: page,
    rows: page.items,
    columns: [
      { head: 'SLUG', text: ({ slug }) => slug },
      ACCESS_AND_USAGE.status,
      ACCESS_AND_USAGE.tier,
      { head: 'MEMBERS', text: ({ memberCount }) => String(memberCount), isRight: true },
      ACCESS_AND_USAGE.runs,
      ACCESS_AND_USAGE.cost,
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
