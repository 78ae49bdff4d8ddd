// millrace team list
import type { Command } from 'commander';
import type { Team } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import { showList } from '../../show-list.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addTeamList(team: Command, act: Act): void {
  describe(team.command('list'), 'list your teams', ['team list']).action(act(async () => list));
}

async function list(options: CommandOptions): Promise<number> {
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
