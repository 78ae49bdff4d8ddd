// millrace backup, backup verify, restore
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from '../server/database-flags.ts';

export function addBackup(program: Command, act: Act): void {
  const backup = describe(
    program.command('backup'),
    'back up the database of this server, while it runs',
    ['backup', 'backup /backups/monday.backup', 'backup verify /backups/monday.backup'],
  )
    .argument('[file]', 'the new file (default: the date, in this folder)')
    .helpCommand(false)
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./make.ts')).backUp));
  describe(backup.command('verify'), 'check that a backup is whole, without a database', [
    'backup verify /backups/monday.backup',
  ])
    .argument('<file>', 'the backup')
    .action(act(async () => (await import('./verify.ts')).verify));
}

export function addRestore(program: Command, act: Act): void {
  describe(program.command('restore'), 'restore a backup into the database of this server', [
    'restore /backups/monday.backup',
    'restore /backups/monday.backup --replace',
    'restore /backups/monday.backup --discard-secrets',
  ])
    .argument('<file>', 'the backup')
    .option('--replace', 'delete the data that the database has now')
    .option('--discard-secrets', 'leave out secrets whose master key is lost')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./restore.ts')).restore));
}
