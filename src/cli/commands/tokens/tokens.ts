// millrace tokens: the API keys of whoever calls, over the API of a server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addTokensCreate } from './create.ts';
import { addTokensList } from './list.ts';
import { addTokensRevoke } from './revoke.ts';
import { addTokensRotate } from './rotate.ts';

export function addTokens(program: Command, act: Act): void {
  const tokens = describe(program.command('tokens'), 'manage your own API keys', [
    'tokens list',
    'tokens create ci --scopes jobs,history --expires-in-days 90',
    'tokens rotate key_01...',
  ]).helpCommand(false);
  addTokensList(tokens, act);
  addTokensCreate(tokens, act);
  addTokensRotate(tokens, act);
  addTokensRevoke(tokens, act);
}
