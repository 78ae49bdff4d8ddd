// millrace doctor
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from './database-flags.ts';

export function addDoctor(program: Command, act: Act): void {
  describe(program.command('doctor'), 'check whether Millrace can run here', [
    'doctor',
    'doctor --json',
  ])
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./run-checks.ts')).doctor));
}
