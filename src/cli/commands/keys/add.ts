// millrace keys add
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { note, print } from '../../terminal/output.ts';
import { providerArgument, providerName, sharedFlag, sharedOwner } from './provider-argument.ts';

const TERMS =
  'The server stores the key encrypted and uses it to call the provider on your behalf, at your cost.';

export function addKeysAdd(keys: Command, act: Act): void {
  describe(
    keys.command('add'),
    'add a provider key; asks for it without showing it, or reads standard input',
    [
      'keys add anthropic',
      'keys add openai --accept-terms < key.txt',
      'keys add anthropic --shared --team platform',
    ],
  )
    .addArgument(providerArgument())
    .addOption(sharedFlag())
    .option('--accept-terms', 'do not ask: the server calls the provider on your behalf')
    .action(act(async () => addKey));
}

/** From a hidden prompt, or from standard input: never from an argument, which others can see. */
async function readKey(provider: string): Promise<string> {
  if (process.stdin.isTTY) return readHidden(`${providerName(provider)} key: `);
  const { text } = await import('node:stream/consumers');
  return (await text(process.stdin)).trim();
}

async function addKey(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const provider = args[0] ?? '';
  const accepted = options['acceptTerms'] || options['yes'];
  if (process.stdin.isTTY && !mayAsk(options, process.env)) {
    throw usageError('Cannot ask for the key.', 'Pass the key on standard input.');
  }
  if (!process.stdin.isTTY && !accepted) {
    throw usageError('--accept-terms is required when the key comes from standard input.', TERMS);
  }
  const key = await readKey(provider);
  if (key === '') throw usageError('No key given.', 'Pass the key on standard input.');
  if (!accepted && !(await confirmed(options, `${TERMS}\nAdd the key?`))) {
    note('Nothing was added.');
    return EXIT.failed;
  }
  const stored = await client.storeProviderKey({
    provider,
    key,
    tosAccepted: true,
    ...sharedOwner(options),
  });
  if (options['json']) print(JSON.stringify(stored));
  else if (stored.valid) print(`Added ${stored.maskedKey} for ${stored.provider}. The key works.`);
  else {
    print(
      `Added ${stored.maskedKey} for ${stored.provider}. ${providerName(stored.provider)} could not be reached; the key is checked at its first use.`,
    );
  }
  return EXIT.ok;
}
