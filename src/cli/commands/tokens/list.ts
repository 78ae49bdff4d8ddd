// millrace tokens list
import type { Command } from 'commander';
import type { ApiKey } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { localTime } from '../../terminal/local-time.ts';
import { print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addTokensList(tokens: Command, act: Act): void {
  describe(tokens.command('list'), 'list your API keys', ['tokens list']).action(
    act(async () => listTokens),
  );
}

async function listTokens(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.apiKeys.list();
  if (options['json']) {
    print(JSON.stringify({ items }));
    return EXIT.ok;
  }
  const ids = shortIds(items.map(({ id }) => id));
  printTable<ApiKey>(
    [
      { head: 'ID', text: ({ id }) => ids.get(id)! },
      { head: 'KEY', text: ({ maskedKey }) => maskedKey },
      statusColumn(({ status }) => status),
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(new Date(lastUsedAt))),
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    items,
  );
  return EXIT.ok;
}
