// millrace admin reset-password
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withAccounts } from './with-accounts.ts';

export function addAdminResetPassword(admin: Command, act: Act): void {
  describe(admin.command('reset-password'), 'print a link to set a new password with', [
    'admin reset-password --email jane@example.com',
  ])
    .requiredOption('--email <address>', 'the account')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => resetPassword));
}

async function resetPassword(options: CommandOptions): Promise<number> {
  const link = await withAccounts(options, (accounts) =>
    accounts.makeResetLink(String(options['email']), null),
  );
  if (options['json']) print(JSON.stringify(link));
  else {
    print(link.url);
    note(`Send this link to ${plain(link.email)}. It works once, for 24 hours.`);
  }
  return EXIT.ok;
}
