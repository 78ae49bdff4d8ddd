// millrace api-keys create
import type { Tier } from '../../../domain/job/tiers.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { textOf } from '../../flag-values.ts';
import { withManagedKeys } from './managed-keys.ts';
import { showNewKey } from './show-new-key.ts';

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

export async function createKey(options: CommandOptions, args: string[]): Promise<number> {
  const request = {
    name: nameOf(options, args),
    scopes: textOf(options, 'scopes')
      ?.split(',')
      .map((scope) => scope.trim()),
    expiresInDays: daysOf(textOf(options, 'expiresInDays')),
    tier: options['tier'] as Tier | undefined,
  };
  const created = await withManagedKeys(options, (keys) => keys.create(request));
  return showNewKey(created, options);
}
