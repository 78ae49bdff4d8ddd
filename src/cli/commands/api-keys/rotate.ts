// millrace api-keys rotate
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { KEY_ID, findKeyId } from './find-key.ts';
import { showNewKey } from './show-new-key.ts';

export function addApiKeysRotate(keys: Command, act: Act): void {
  describe(
    keys.command('rotate'),
    'replace one of your API keys; the old one keeps working for a while',
    ['api-keys rotate key_01...', 'api-keys rotate key_01... --grace-hours 0'],
  )
    .argument('<id>', KEY_ID)
    .option('--grace-hours <number>', 'how long the old key keeps working, 0 to 168', '24')
    .action(act(async () => rotateKey));
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && hours >= 0 && hours <= 168) return hours;
  throw usageError(`--grace-hours "${text}": must be a number from 0 to 168`);
}

async function rotateKey(options: CommandOptions, args: string[]): Promise<number> {
  const gracePeriodHours = hoursOf(String(options['graceHours']));
  const { apiKeys } = await openClient(options);
  const list = async () => (await apiKeys.list()).items;
  const id = await findKeyId({ list, email: undefined }, args[0] ?? '');
  const rotated = await apiKeys.rotate(id, { gracePeriodHours });
  const until = localTime(new Date(rotated.previous.expiresAt));
  const old =
    gracePeriodHours === 0
      ? `The old key ${id} no longer works.`
      : `The old key ${id} works until ${until}.`;
  const made = `Created ${rotated.id} "${plain(rotated.name)}" (${rotated.scopes.join(', ')}).`;
  showNewKey({ document: rotated, notes: [made, old] }, options);
  return EXIT.ok;
}
