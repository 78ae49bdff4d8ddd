// millrace api-keys list
import type { Command } from 'commander';
import type { ApiKey } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { shortIds } from '../../short-ids.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
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
  if (options['json']) {
    print(JSON.stringify({ items }));
    return EXIT.ok;
  }
  if (items.length === 0) {
    note('This account has no keys.');
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
        text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localTime(lastUsedAt)),
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    items,
  );
  return EXIT.ok;
}
