// millrace api-keys revoke
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { wholeId } from '../../short-ids.ts';
import { print } from '../../terminal/output.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withKeys } from './with-keys.ts';

export function addApiKeysRevoke(keys: Command, act: Act): void {
  describe(keys.command('revoke'), 'revoke an API key, on every server within seconds', [
    'api-keys revoke key_01...',
    'api-keys revoke key_01kd3mz8v4 --email you@example.com',
  ])
    .argument('<id>', 'the id of the key; how it begins is enough with --email')
    .option('--email <address>', 'the account, to look the id up in')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => revokeKey));
}

async function revokeKey(options: CommandOptions, args: string[]): Promise<number> {
  const asked = args[0] ?? '';
  const { email } = options;
  const id = await withKeys(options, async (keys) => {
    const whole = await wholeId(asked, {
      type: 'key',
      noun: 'key',
      listCommand: commandLine('api-keys', 'list', '--email', String(email ?? 'you@example.com')),
      async find(start) {
        // Keys are listed by account.
        if (typeof email !== 'string') {
          throw usageError(`"${asked}" is not a whole id.`, 'Add --email to look it up.');
        }
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
