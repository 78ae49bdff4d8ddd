// millrace api-keys list
import type { Command } from 'commander';
import type { ApiKeyService } from '../../../services/accounts/api-keys.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { shortIds } from '../../short-ids.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withKeys } from './with-keys.ts';

type ListedKey = Awaited<ReturnType<ApiKeyService['list']>>[number];

export function addApiKeysList(keys: Command, act: Act): void {
  describe(keys.command('list'), 'list the API keys of an account', [
    'api-keys list',
    'api-keys list --email ci@example.com --json',
  ])
    .option('--email <address>', 'the account (default: the local owner of the server)')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => listKeys));
}

function stateOf({ revokedAt, expired }: ListedKey): string {
  if (revokedAt) return 'revoked';
  return expired ? 'expired' : 'active';
}

async function listKeys(options: CommandOptions): Promise<number> {
  const keys = await withKeys(options, (service) => service.list(textOf(options, 'email')));
  if (options['json']) {
    print(JSON.stringify({ items: keys }));
    return EXIT.ok;
  }
  if (keys.length === 0) {
    note('This account has no keys.');
    return EXIT.ok;
  }
  const ids = shortIds(keys.map(({ id }) => id));
  printTable<ListedKey>(
    [
      { head: 'ID', text: ({ id }) => ids.get(id)! },
      { head: 'KEY', text: ({ hint }) => hint },
      statusColumn(stateOf),
      {
        head: 'LAST USED',
        text: ({ lastUsedAt }) => (lastUsedAt ? localTime(lastUsedAt) : 'never'),
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    keys,
  );
  return EXIT.ok;
}
