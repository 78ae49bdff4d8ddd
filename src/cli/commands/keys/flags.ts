// keys: the user's own provider keys on a server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

const PROVIDERS = 'anthropic, openai, google or openrouter';

export function addKeys(program: Command, act: Act): void {
  const keys = describe(program.command('keys'), 'manage your own provider keys on a server', [
    'keys add anthropic',
    'keys list',
  ]);
  describe(keys.command('list'), 'list your stored provider keys, masked', [
    'keys list',
    'keys list --json',
  ]).action(act(async () => (await import('./keys.ts')).listKeys));
  describe(
    keys.command('add'),
    'store a key; it is asked for without showing it, or read from standard input',
    ['keys add anthropic', 'keys add openai --accept-terms < key.txt'],
  )
    .argument('<provider>', PROVIDERS)
    .option('--accept-terms', 'do not ask: the key will be used to call the provider in your name')
    .action(act(async () => (await import('./keys.ts')).addKey));
  describe(keys.command('test'), 'ask the provider whether the stored key still works', [
    'keys test anthropic',
  ])
    .argument('<provider>', PROVIDERS)
    .action(act(async () => (await import('./keys.ts')).testKey));
  describe(keys.command('rm'), 'delete a stored key', ['keys rm anthropic'])
    .argument('<provider>', PROVIDERS)
    .action(act(async () => (await import('./keys.ts')).removeKey));
}
