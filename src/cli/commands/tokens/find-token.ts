// The API key that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export const TOKEN_ID = 'the id of the key, or how it begins';

export function findTokenId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'key',
    noun: 'API key',
    listCommand: commandLine('tokens', 'list'),
    async find(start) {
      const { items } = await client.apiKeys.list();
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}
