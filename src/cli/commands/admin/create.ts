// millrace admin create
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { showOutcome } from '../../show-outcome.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { plain } from '../../terminal/plain-text.ts';
import { withAccounts } from './with-accounts.ts';

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

export async function createAdmin(options: CommandOptions): Promise<number> {
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
  return showOutcome(options, {
    document: user,
    text: `${plain(user.email)} is a server administrator and can sign in.`,
  });
}
