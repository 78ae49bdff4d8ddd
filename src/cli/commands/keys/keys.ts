// millrace keys: your own provider keys on a server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addKeysAdd } from './add.ts';
import { addKeysList } from './list.ts';
import { addKeysRemove } from './remove.ts';
import { addKeysTest } from './test.ts';

export function addKeys(program: Command, act: Act): void {
  const keys = describe(program.command('keys'), 'manage your provider keys', [
    'keys add anthropic',
    'keys list',
  ]).helpCommand(false);
  addKeysList(keys, act);
  addKeysAdd(keys, act);
  addKeysTest(keys, act);
  addKeysRemove(keys, act);
}
