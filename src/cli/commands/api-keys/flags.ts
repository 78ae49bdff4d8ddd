// api-keys: who may call the server.
import type { Command } from 'commander';
import { Option } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from '../server/database-flags.ts';

export function addApiKeys(program: Command, act: Act): void {
  const keys = describe(
    program.command('api-keys'),
    'manage the keys that callers authenticate with',
    ['api-keys create --email you@example.com', 'api-keys list --email you@example.com'],
  );
  describe(
    keys.command('create'),
    'create an API key, and the account when there is none; works beside a running server',
    [
      'api-keys create --email you@example.com --name laptop',
      'api-keys create --email ci@example.com --scopes jobs,history --expires-in-days 30',
    ],
  )
    .requiredOption('--email <address>', 'the account')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(new Option('--tier <tier>', 'sets the tier of the account').choices([...TIER_NAMES]))
    .option('--scopes <list>', 'what the key may do, separated by commas (default: everything)')
    .option('--expires-in-days <number>', 'when the key stops working (default: never)')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./api-keys.ts')).createKey));
  describe(keys.command('list'), 'list the keys of an account', [
    'api-keys list --email you@example.com',
    'api-keys list --email you@example.com --json',
  ])
    .requiredOption('--email <address>', 'the account')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./api-keys.ts')).listKeys));
  describe(keys.command('revoke'), 'make a key stop working, on every node within seconds', [
    'api-keys revoke key_01...',
  ])
    .argument('<id>', 'the id of the key, as `list` shows it')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./api-keys.ts')).revokeKey));
}
