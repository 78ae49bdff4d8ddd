// millrace keys list
import type { Command } from 'commander';
import type { ProviderKey } from '../../../contract/keys-api.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { showList } from '../../show-list.ts';
import { localTime } from '../../terminal/local-time.ts';

export function addKeysList(keys: Command, act: Act): void {
  describe(keys.command('list'), 'list your provider keys and those of the team, masked', [
    'keys list',
    'keys list --json',
  ]).action(act(async () => listKeys));
}

const OWNER = { head: 'OWNER', text: ({ owner }: ProviderKey) => owner ?? 'you' };

async function listKeys(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { keys } = await client.listProviderKeys();
  return showList<ProviderKey>(options, {
    document: { keys },
    rows: keys,
    columns: [
      { head: 'PROVIDER', text: ({ provider }) => provider },
      { head: 'KEY', text: ({ maskedKey }) => maskedKey },
      ...(keys.some(({ owner }) => owner) ? [OWNER] : []),
      { head: 'ADDED', text: ({ createdAt }) => localTime(createdAt) },
    ],
    empty: `No provider keys. Add one with: ${commandLine('keys', 'add', 'anthropic')}`,
  });
}
