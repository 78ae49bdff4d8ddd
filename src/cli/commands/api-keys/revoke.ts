// millrace api-keys revoke
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { wholeId } from '../../short-ids.ts';
import { print } from '../../terminal/output.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withKeys } from './with-keys.ts';

export function addApiKeysRevoke(keys: Command, act: Act): void {
  describe(keys.command('revoke'), 'revoke an API key, on every server within seconds', [
    'api-keys revoke key_01...',
    'api-keys revoke key_01kd3mz8v4 --email ci@example.com',
  ])
    .argument('<id>', 'the id of the key; how it begins is enough')
    .option('--email <address>', 'the account, to look the id up in (default: the local owner)')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => revokeKey));
}

async function revokeKey(options: CommandOptions, args: string[]): Promise<number> {
  const asked = args[0] ?? '';
  const email = textOf(options, 'email');
  const id = await withKeys(options, async (keys) => {
    const whole = await wholeId(asked, {
      type: 'key',
      noun: 'key',
      listCommand: commandLine(
        'api-keys',
        'list',
        ...(email === undefined ? [] : ['--email', email]),
      ),
      async find(start) {
        // Keys are listed by account.
        const listed = await keys.list(email);
        return listed.map((key) => key.id).filter((each) => each.startsWith(start));
      },
    });
    await keys.revoke(whole);
    return whole;
  });
  if (options['json']) print(JSON.stringify({ id, revoked: true }));
  else print(`Revoked ${id}.`);
  return EXIT.ok;
}
