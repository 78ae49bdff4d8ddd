// millrace api-keys create
import type { Command } from 'commander';
import { Option } from 'commander';
import { TIER_NAMES, isTier } from '../../../domain/job/tiers.ts';
import { commandLine } from '../../command-name.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { note, print } from '../../terminal/output.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withKeys } from './with-keys.ts';

export function addApiKeysCreate(keys: Command, act: Act): void {
  describe(keys.command('create'), 'create an API key, and the account if it is new', [
    'api-keys create --name laptop',
    'api-keys create --email ci@example.com --scopes jobs,history --expires-in-days 30',
  ])
    .option('--email <address>', 'the account (default: the local owner of the server)')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(
      new Option('--tier <tier>', 'the tier of the account, if it is new').choices([...TIER_NAMES]),
    )
    .option('--scopes <list>', 'what the key may do, separated by commas (default: all but admin)')
    .option('--expires-in-days <number>', 'when the key expires (default: never)')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => createKey));
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0 && days <= 36_500) return days;
  throw usageError(`--expires-in-days "${text}": must be a number above 0`);
}

async function createKey(options: CommandOptions): Promise<number> {
  const tier = String(options['tier'] ?? '');
  const scopes = options['scopes'] as string | undefined;
  const expiresInDays = daysOf(options['expiresInDays'] as string | undefined);
  const { existed, ...created } = await withKeys(options, (keys) =>
    keys.create({
      email: textOf(options, 'email'),
      name: String(options['name']),
      tier: isTier(tier) ? tier : undefined,
      scopes: scopes?.split(',').map((scope) => scope.trim()),
      expiresInDays,
    }),
  );
  if (options['json']) print(JSON.stringify(created));
  else {
    print(created.key);
    note(`Key "${created.name}" for ${created.email} (tier ${created.tier}).`);
    note('Save it now; it is not shown again. To use it: export MILLRACE_API_KEY=...');
  }
  if (existed && isTier(tier) && tier !== created.tier) {
    note(
      `The account existed already, so its tier is still ${created.tier}: --tier is for new accounts. To change it: ${commandLine('admin', 'tier', created.email, tier)}`,
    );
  }
  return EXIT.ok;
}
