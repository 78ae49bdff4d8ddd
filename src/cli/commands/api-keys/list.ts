// millrace api-keys list
import type { Command } from 'commander';
import type { ApiKey } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { idColumn, showList } from '../../show-list.ts';
import { localTime } from '../../terminal/local-time.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withManagedKeys } from './managed-keys.ts';

export function addApiKeysList(keys: Command, act: Act): void {
  describe(keys.command('list'), 'list your API keys, or with --email those of an account', [
    'api-keys list',
    'api-keys list --email ci@example.com --json',
  ])
    .option('--email <address>', 'the account, on the machine of the server')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => listKeys));
}

async function listKeys(options: CommandOptions): Promise<number> {
  const items = await withManagedKeys(options, (keys) => keys.list());
  return showList<ApiKey>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      { head: 'KEY', text: ({ maskedKey }) => maskedKey },
      statusColumn(({ status }) => status),
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(lastUsedAt)),
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    empty: 'This account has no keys.',
  });
}
