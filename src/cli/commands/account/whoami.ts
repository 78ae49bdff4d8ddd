// millrace whoami
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { print } from '../../terminal/output.ts';
import { showCaller } from './show-caller.ts';

export function addWhoami(program: Command, act: Act): void {
  describe(program.command('whoami'), 'show who you are on the server', [
    'whoami',
    'whoami --json',
  ]).action(act(async () => whoami));
}

async function whoami(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { url, apiKey } = readClientSettings(options, process.env, process.cwd());
  const me = await client.me();
  if (options['json']) print(JSON.stringify({ server: url.value, ...me }));
  else showCaller(me, url.value, apiKey?.from ?? '');
  return EXIT.ok;
}
