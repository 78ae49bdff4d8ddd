// millrace whoami
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openServer } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { showCaller } from './show-caller.ts';

export function addWhoami(program: Command, act: Act): void {
  describe(program.command('whoami'), 'show who you are on the server', [
    'whoami',
    'whoami --json',
  ]).action(act(async () => whoami));
}

async function whoami(options: CommandOptions): Promise<number> {
  const { client, url, ...credential } = await openServer(options);
  const me = await client.me();
  if (options['json']) print(JSON.stringify({ server: url, ...me, ...credential }));
  else showCaller(me, url, credential);
  return EXIT.ok;
}
