// millrace account mails
import { Argument } from 'commander';
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';

export function addAccountMails(account: Command, act: Act): void {
  describe(
    account.command('mails'),
    'get mail about what runs ask and you may answer, or turn it off',
    ['account mails on', 'account mails off'],
  )
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .action(act(async () => setMails));
}

async function setMails(options: CommandOptions, [state]: string[]): Promise<number> {
  const client = await openClient(options);
  const { user, approvalMails } = await client.updateMe({ approvalMails: state === 'on' });
  if (options['json']) print(JSON.stringify({ approvalMails }));
  else if (approvalMails) print(`Questions of runs are mailed to ${user.email}.`);
  else print('Questions of runs are not mailed to you.');
  return EXIT.ok;
}
