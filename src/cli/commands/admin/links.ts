// Links for accounts of this server: millrace admin reset-password and sign-in-link.
import type { CommandOptions } from '../../command.ts';
import { textOf } from '../../flag-values.ts';
import { showOutcome } from '../../show-outcome.ts';
import { plain } from '../../terminal/plain-text.ts';
import { withAccounts } from './with-accounts.ts';

export async function resetPassword(options: CommandOptions): Promise<number> {
  const link = await withAccounts(options, (accounts) =>
    accounts.makeResetLink(String(options['email']), null),
  );
  return showOutcome(options, {
    document: link,
    text: link.url,
    notes: [`Send this link to ${plain(link.email)}. It works once, for 24 hours.`],
  });
}

export async function signInLink(options: CommandOptions): Promise<number> {
  const link = await withAccounts(options, (accounts) =>
    accounts.makeSignInLink(textOf(options, 'email')),
  );
  return showOutcome(options, {
    document: link,
    text: link.url,
    notes: [`Opens the dashboard as ${plain(link.email)}. It works once, for 10 minutes.`],
  });
}
