// millrace api-keys: who may call the server. Works on its database, beside a running server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addApiKeysCreate } from './create.ts';
import { addApiKeysList } from './list.ts';
import { addApiKeysRevoke } from './revoke.ts';

export function addApiKeys(program: Command, act: Act): void {
  const keys = describe(program.command('api-keys'), 'manage the API keys of this server', [
    'api-keys create',
    'api-keys list --email ci@example.com',
  ]).helpCommand(false);
  addApiKeysCreate(keys, act);
  addApiKeysList(keys, act);
  addApiKeysRevoke(keys, act);
}
