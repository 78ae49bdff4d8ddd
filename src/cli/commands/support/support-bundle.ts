// millrace support-bundle
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from '../server/database-flags.ts';

export function addSupportBundle(program: Command, act: Act): void {
  describe(
    program.command('support-bundle'),
    'collect what helps to find a problem, without secrets',
    ['support-bundle', 'support-bundle problem.zip --log /var/log/millrace.log'],
  )
    .argument('[file]', 'the new file (default: the date, in this folder)')
    .option('--log <file>', 'include the last lines of a log of the server')
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (await import('./make-bundle.ts')).makeBundle));
}
