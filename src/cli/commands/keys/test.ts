// millrace keys test
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { providerArgument, sharedFlag, sharedOwner } from './provider-argument.ts';

export function addKeysTest(keys: Command, act: Act): void {
  describe(keys.command('test'), 'test a provider key', ['keys test anthropic'])
    .addArgument(providerArgument())
    .addOption(sharedFlag())
    .action(act(async () => testKey));
}

async function testKey(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const tested = await client.testProviderKey(args[0] ?? '', sharedOwner(options));
  if (options['json']) print(JSON.stringify(tested));
  else if (tested.reason === undefined) print(`The key for ${tested.provider} works.`);
  else print(`The key for ${tested.provider} could not be used: ${plain(tested.reason)}`);
  return tested.valid ? EXIT.ok : EXIT.failed;
}
