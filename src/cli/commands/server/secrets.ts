// millrace secrets rotate, secrets discard
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from './database-flags.ts';

export function addSecrets(program: Command, act: Act): void {
  const secrets = describe(program.command('secrets'), 'manage the master keys of the server', [
    'secrets rotate',
    'secrets discard',
  ]).helpCommand(false);
  describe(
    secrets.command('rotate'),
    'create a new master key and re-encrypt every stored secret, while servers run',
    ['secrets rotate', 'secrets rotate --json'],
  )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./rotate-secrets.ts')).rotateSecrets));
  describe(
    secrets.command('discard'),
    'delete stored secrets whose master key is lost, so that servers start again',
    ['secrets discard', 'secrets discard --yes'],
  )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./discard-secrets.ts')).discardSecrets));
}
