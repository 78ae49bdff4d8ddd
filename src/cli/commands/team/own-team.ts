// The team that a command is about: the one it acts in.
import type { MillraceClient, Team } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { commandWithout } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { findTeam } from '../../team-choice.ts';

export async function openTeam(
  options: CommandOptions,
): Promise<{ client: MillraceClient; team: Team }> {
  const { team } = readClientSettings(options, process.env, process.cwd());
  const client = await openClient(options);
  if (team !== undefined) return { client, team: await findTeam(client, team.value, team.from) };
  // The first one is personal, or the only one that the key may act in.
  const { items } = await client.teams.list();
  return { client, team: items[0]! };
}

/** For what makes no sense in a team of one. */
export async function openSharedTeam(options: CommandOptions) {
  const found = await openTeam(options);
  if (!found.team.personal) return found;
  throw new CommandError({
    code: 'NO_TEAM',
    message: 'This acts in your personal team, which only you are in.',
    hint: `Name a team with --team, or create one: ${commandWithout('--team', 'team', 'create', 'NAME')}`,
  });
}
