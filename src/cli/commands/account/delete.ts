// millrace account delete
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { deleteSignIn } from '../../settings/sign-ins.ts';
import { ask } from '../../terminal/ask.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addAccountDelete(account: Command, act: Act): void {
  describe(
    account.command('delete'),
    'delete your account, your personal team and the teams that only you are in',
    ['account delete'],
  ).action(act(async () => deleteAccount));
}

async function deleteAccount(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  if (!mayAsk(options, process.env)) {
    throw usageError('Cannot ask whether you are sure.', 'Run this in a terminal.');
  }
  const { user } = await client.me();
  note(
    `This deletes the account ${plain(user.email)} with its jobs, runs and keys. It cannot be undone.`,
  );
  const email = await ask('Type your email address to go on: ');
  if (email !== user.email.toLowerCase()) throw usageError('Nothing was deleted.');
  const password = await readHidden('Password (empty if you have none): ');
  const deleted = await client.deleteAccount({
    email: user.email,
    ...(password === '' ? {} : { password }),
  });
  const { url } = readClientSettings(options, process.env, process.cwd());
  await deleteSignIn(process.env, url.value);
  print(options['json'] ? JSON.stringify(deleted) : `Deleted ${plain(user.email)}.`);
  return EXIT.ok;
}
