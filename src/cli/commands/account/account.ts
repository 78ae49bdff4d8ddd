// millrace account: what one can take along, and how one goes.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addAccountDelete } from './delete.ts';
import { addAccountExport } from './export.ts';

export function addAccount(program: Command, act: Act): void {
  const account = describe(program.command('account'), 'export your data, or delete your account', [
    'account export',
    'account export --team platform',
    'account delete',
  ]).helpCommand(false);
  addAccountExport(account, act);
  addAccountDelete(account, act);
}
