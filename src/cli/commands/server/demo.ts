// millrace demo
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { databaseFlags } from './database-flags.ts';

export function addDemo(program: Command, act: Act): void {
  describe(program.command('demo'), 'see Millrace at work, with a simulated model', [
    'demo',
    'demo --exit',
  ])
    .option('--exit', 'stop when the run has ended; implies --fast')
    .option('--fast', 'let the simulated model answer at once, not at a pace that can be watched')
    .option('--no-open', 'do not open the dashboard in a browser')
    .option('--port <number>', 'port to listen on (default 4747 or the next free one)')
    .addOption(databaseFlags.dataDir())
    .action(act(async () => (await import('./play-demo.ts')).demo));
}
