// millrace keys add
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { readHidden } from '../../terminal/hidden-prompt.ts';
import { note } from '../../terminal/output.ts';
import { providerName, sharedOwner } from './provider-argument.ts';

const TERMS =
  'The server stores the key encrypted and uses it to call the provider on your behalf, at your cost.';

/** From a hidden prompt, or from standard input: never from an argument, which others can see. */
async function readKey(provider: string): Promise<string> {
  if (process.stdin.isTTY) return readHidden(`${providerName(provider)} key: `);
  const { text } = await import('node:stream/consumers');
  return (await text(process.stdin)).trim();
}

export async function addKey(options: CommandOptions, [provider = '']: string[]): Promise<number> {
  const client = await openClient(options);
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
  const added = `Added ${stored.maskedKey} for ${stored.provider}.`;
  return showOutcome(options, {
    document: stored,
    text: stored.valid
      ? `${added} The key works.`
      : `${added} ${providerName(stored.provider)} could not be reached; the key is checked at its first use.`,
  });
}
