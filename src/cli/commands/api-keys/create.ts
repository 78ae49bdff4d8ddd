// millrace api-keys create
import type { Command } from 'commander';
import { Option } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import type { Tier } from '../../../domain/job/tiers.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { withManagedKeys } from './managed-keys.ts';
import { showNewKey } from './show-new-key.ts';

export function addApiKeysCreate(keys: Command, act: Act): void {
  describe(
    keys.command('create'),
    'create an API key, for one team only with --team; prints it once',
    [
      'api-keys create laptop',
      'api-keys create ci --scopes jobs,history --expires-in-days 90',
      'api-keys create --email ci@example.com    # on the machine of the server',
    ],
  )
    .argument('[name]', 'what the key is for (default: default)')
    .option('--name <name>', 'the same as a flag')
    .option('--scopes <list>', 'what the key may do, separated by commas (default: all but admin)')
    .option('--expires-in-days <number>', 'when the key expires (default: never)')
    .option('--email <address>', 'the account, on the machine of the server; made if it is new')
    .addOption(
      new Option('--tier <tier>', 'the tier of the account, if it is new').choices([...TIER_NAMES]),
    )
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

function nameOf(options: CommandOptions, [argument]: string[]): string {
  const flag = textOf(options, 'name');
  if (argument === undefined || flag === undefined || argument === flag) {
    return argument ?? flag ?? 'default';
  }
  throw usageError(`The key has two names, "${argument}" and "${flag}".`, 'Leave out --name.');
}

async function createKey(options: CommandOptions, args: string[]): Promise<number> {
  const request = {
    name: nameOf(options, args),
    scopes: textOf(options, 'scopes')
      ?.split(',')
      .map((scope) => scope.trim()),
    expiresInDays: daysOf(textOf(options, 'expiresInDays')),
    tier: options['tier'] as Tier | undefined,
  };
  const created = await withManagedKeys(options, (keys) => keys.create(request));
  showNewKey(created, options);
  return EXIT.ok;
}
