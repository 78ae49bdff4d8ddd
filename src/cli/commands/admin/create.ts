// millrace admin create
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withAccounts } from './with-accounts.ts';

export function addAdminCreate(admin: Command, act: Act): void {
  describe(
    admin.command('create'),
    'create a server administrator; asks for the password, or reads standard input',
    [
      'admin create --email you@example.com',
      'admin create --email you@example.com --name "Jane Walker" < password.txt',
    ],
  )
    .requiredOption('--email <address>', 'the account; one that exists gets the new password')
    .option('--name <name>', 'the name of the person')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => createAdmin));
}

/** From a hidden prompt, or from standard input: never from an argument, which others can see. */
async function readPassword(options: CommandOptions): Promise<string> {
  if (!process.stdin.isTTY) {
    const { text } = await import('node:stream/consumers');
    return (await text(process.stdin)).replace(/\r?\n$/, '');
  }
  if (!mayAsk(options, process.env)) {
    throw usageError('Cannot ask for the password.', 'Pass the password on standard input.');
  }
  const password = await readHidden('Password: ');
  if ((await readHidden('Again: ')) !== password) throw usageError('The passwords differ.');
  return password;
}

async function createAdmin(options: CommandOptions): Promise<number> {
  const password = await readPassword(options);
  if (password === '') throw usageError('No password given.', 'Pass it on standard input.');
  const { email, name } = options;
  const user = await withAccounts(options, (accounts) =>
    accounts.createAdmin({
      email: String(email),
      name: typeof name === 'string' ? name : null,
      password,
    }),
  );
  if (options['json']) print(JSON.stringify(user));
  else print(`${plain(user.email)} is a server administrator and can sign in.`);
  return EXIT.ok;
}
