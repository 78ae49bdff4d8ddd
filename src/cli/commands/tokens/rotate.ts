// millrace tokens rotate
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { localTime } from '../../terminal/local-time.ts';
import { TOKEN_ID, findTokenId } from './find-token.ts';
import { showNewKey } from './show-new-key.ts';

export function addTokensRotate(tokens: Command, act: Act): void {
  describe(tokens.command('rotate'), 'replace an API key; the old one keeps working for a while', [
    'tokens rotate key_01...',
    'tokens rotate key_01... --grace-hours 0',
  ])
    .argument('<id>', TOKEN_ID)
    .option('--grace-hours <number>', 'how long the old key keeps working, 0 to 168', '24')
    .action(act(async () => rotateToken));
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && hours >= 0 && hours <= 168) return hours;
  throw usageError(`--grace-hours "${text}": must be a number from 0 to 168`);
}

async function rotateToken(options: CommandOptions, args: string[]): Promise<number> {
  const gracePeriodHours = hoursOf(String(options['graceHours']));
  const client = await openClient(options);
  const id = await findTokenId(client, args[0] ?? '');
  const rotated = await client.apiKeys.rotate(id, { gracePeriodHours });
  const until = localTime(new Date(rotated.previous.expiresAt));
  const old =
    gracePeriodHours === 0
      ? `The old key ${id} no longer works.`
      : `The old key ${id} works until ${until}.`;
  showNewKey(rotated, options, [old]);
  return EXIT.ok;
}
