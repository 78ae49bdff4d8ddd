// millrace api-keys: who may call the server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addApiKeysCreate } from './create.ts';
import { addApiKeysList } from './list.ts';
import { addApiKeysRevoke } from './revoke.ts';
import { addApiKeysRotate } from './rotate.ts';

export function addApiKeys(program: Command, act: Act): void {
  const keys = describe(program.command('api-keys'), 'manage your API keys', [
    'api-keys list',
    'api-keys create ci --scopes jobs,history --expires-in-days 90',
    'api-keys create --email ci@example.com    # on the machine of the server',
  ]).helpCommand(false);
  addApiKeysList(keys, act);
  addApiKeysCreate(keys, act);
  addApiKeysRotate(keys, act);
  addApiKeysRevoke(keys, act);
}
