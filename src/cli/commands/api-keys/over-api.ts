// The API keys of the caller, over the API of a server.
import type { CommandOptions } from '../../command.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { findTeam } from '../../team-choice.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { ManagedKeys } from './managed-keys.ts';

export async function keysOverApi(options: CommandOptions): Promise<ManagedKeys> {
  const client = await openClient(options);
  return {
    email: undefined,
    list: async () => (await client.apiKeys.list()).items,
    async create({ name, scopes, expiresInDays }) {
      const team = textOf(options, 'team');
      const teamId = team === undefined ? undefined : (await findTeam(client, team)).id;
      const document = await client.apiKeys.create({
        name,
        ...(scopes === undefined ? {} : { scopes }),
        ...(expiresInDays === undefined ? {} : { expiresInDays }),
        ...(teamId === undefined ? {} : { teamId }),
      });
      const { id, scopes: allowed } = document;
      return { document, notes: [`Created ${id} "${plain(name)}" (${allowed.join(', ')}).`] };
    },
    revoke: async (id) => void (await client.apiKeys.revoke(id)),
  };
}
