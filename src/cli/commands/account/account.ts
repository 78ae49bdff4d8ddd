// millrace account: what one is mailed, what one can take along, and how one goes.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addAccountDelete } from './delete.ts';
import { addAccountExport } from './export.ts';
import { addAccountMails } from './mails.ts';

export function addAccount(program: Command, act: Act): void {
  const account = describe(
    program.command('account'),
    'choose your mail, export your data, or delete your account',
    ['account export', 'account export --team platform', 'account mails on', 'account delete'],
  ).helpCommand(false);
  addAccountExport(account, act);
  addAccountMails(account, act);
  addAccountDelete(account, act);
}
