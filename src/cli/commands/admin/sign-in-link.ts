// millrace admin sign-in-link
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withAccounts } from './with-accounts.ts';

export function addAdminSignInLink(admin: Command, act: Act): void {
  describe(admin.command('sign-in-link'), 'print a link that signs an account in', [
    'admin sign-in-link',
    'admin sign-in-link --email jane@example.com',
  ])
    .option('--email <address>', 'the account (default: the local owner of the server)')
    .option('--port <number>', 'port of the server, where it cannot be found by its data folder')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => signInLink));
}

async function signInLink(options: CommandOptions): Promise<number> {
  const link = await withAccounts(options, (accounts) =>
    accounts.makeSignInLink(textOf(options, 'email')),
  );
  if (options['json']) print(JSON.stringify(link));
  else {
    print(link.url);
    note(`Opens the dashboard as ${plain(link.email)}. It works once, for 10 minutes.`);
  }
  return EXIT.ok;
}
