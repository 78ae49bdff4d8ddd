// millrace api-keys rotate
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { openClient } from '../../open-client.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findKeyId } from './find-key.ts';
import { showNewKey } from './show-new-key.ts';

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && hours >= 0 && hours <= 168) return hours;
  throw usageError(`--grace-hours "${text}": must be a number from 0 to 168`);
}

export async function rotateKey(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const gracePeriodHours = hoursOf(String(options['graceHours']));
  const { apiKeys } = await openClient(options);
  const list = async () => (await apiKeys.list()).items;
  const id = await findKeyId({ list, email: undefined }, asked);
  const rotated = await apiKeys.rotate(id, { gracePeriodHours });
  const until = localTime(new Date(rotated.previous.expiresAt));
  const old =
    gracePeriodHours === 0
      ? `The old key ${id} no longer works.`
      : `The old key ${id} works until ${until}.`;
  const made = `Created ${rotated.id} "${plain(rotated.name)}" (${rotated.scopes.join(', ')}).`;
  return showNewKey({ document: rotated, notes: [made, old] }, options);
}
