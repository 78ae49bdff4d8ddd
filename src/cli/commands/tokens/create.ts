// millrace tokens create
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { findTeam } from '../../team-choice.ts';
import { showNewKey } from './show-new-key.ts';

export function addTokensCreate(tokens: Command, act: Act): void {
  describe(
    tokens.command('create'),
    'create an API key, for one team only with --team; prints it once',
    ['tokens create laptop', 'tokens create ci --scopes jobs,history --expires-in-days 90'],
  )
    .argument('<name>', 'what the key is for')
    .option('--scopes <list>', 'what the key may do, separated by commas (default: all but admin)')
    .option('--expires-in-days <number>', 'when the key expires (default: never)')
    .action(act(async () => createToken));
}

function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days > 0) return days;
  throw usageError(`--expires-in-days "${text}": must be a whole number above 0`);
}

async function createToken(options: CommandOptions, args: string[]): Promise<number> {
  const { scopes, expiresInDays } = options;
  const client = await openClient(options);
  const team = textOf(options, 'team');
  const teamId = team === undefined ? undefined : (await findTeam(client, team)).id;
  const created = await client.apiKeys.create({
    name: args[0] ?? '',
    ...(typeof scopes === 'string'
      ? { scopes: scopes.split(',').map((scope) => scope.trim()) }
      : {}),
    ...(typeof expiresInDays === 'string' ? { expiresInDays: daysOf(expiresInDays) } : {}),
    ...(teamId === undefined ? {} : { teamId }),
  });
  showNewKey(created, options, []);
  return EXIT.ok;
}
