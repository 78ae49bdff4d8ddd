// The team that a command acts in, as people name it: by slug, name or id.
import type { MillraceClient, Team } from '../client/index.ts';
import { TEAM_ID_PATTERN } from '../contract/fields.ts';
import { CommandError } from './command-error.ts';
import { commandWithout } from './command-name.ts';
import type { Found } from './settings/client-settings.ts';

export async function findTeam(
  client: MillraceClient,
  asked: string,
  from?: string,
): Promise<Team> {
  const { items } = await client.teams.list();
  const exact = items.find(({ id, slug }) => id === asked || slug === asked);
  const named = items.filter(({ name }) => name.toLowerCase() === asked.toLowerCase());
  const found = exact ?? (named.length === 1 ? named[0] : undefined);
  if (found) return found;
  const which = `"${asked}"${from === undefined ? '' : ` (${from})`}`;
  throw new CommandError({
    code: 'NOT_FOUND',
    message:
      named.length > 1
        ? `Several of your teams are called ${which}.`
        : `You have no team ${which}.`,
    hint: `List your teams, then use the slug: ${commandWithout('--team', 'team', 'list')}`,
  });
}

/** An id is sent as it is: the server says whether it is good. */
export async function teamIdOf(
  client: MillraceClient,
  team: Found | undefined,
): Promise<string | undefined> {
  if (team === undefined || TEAM_ID_PATTERN.test(team.value)) return team?.value;
  return (await findTeam(client, team.value, team.from)).id;
}
