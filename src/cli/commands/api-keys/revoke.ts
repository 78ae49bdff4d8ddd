// millrace api-keys revoke
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { KEY_ID, findKeyId } from './find-key.ts';
import { withManagedKeys } from './managed-keys.ts';

export function addApiKeysRevoke(keys: Command, act: Act): void {
  describe(keys.command('revoke'), 'revoke an API key, on every server within seconds', [
    'api-keys revoke key_01...',
    'api-keys revoke key_01kd3mz8v4 --email ci@example.com',
  ])
    .argument('<id>', KEY_ID)
    .option('--email <address>', 'the account that has it, on the machine of the server')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => revokeKey));
}

async function revokeKey(options: CommandOptions, args: string[]): Promise<number> {
  const id = await withManagedKeys(options, async (keys) => {
    const whole = await findKeyId(keys, args[0] ?? '');
    await keys.revoke(whole);
    return whole;
  });
  print(options['json'] ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}.`);
  return EXIT.ok;
}
