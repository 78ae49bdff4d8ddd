// millrace keys rm
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { providerArgument, sharedFlag, sharedOwner } from './provider-argument.ts';

export function addKeysRemove(keys: Command, act: Act): void {
  describe(keys.command('rm'), 'delete a provider key', ['keys rm anthropic'])
    .addArgument(providerArgument())
    .addOption(sharedFlag())
    .action(act(async () => removeKey));
}

async function removeKey(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const answer = await client.deleteProviderKey(args[0] ?? '', sharedOwner(options));
  if (options['json']) print(JSON.stringify(answer));
  else if (answer.deleted) print(`Deleted the key for ${answer.provider}.`);
  else print(`No key for ${answer.provider}; nothing to delete.`);
  return EXIT.ok;
}
