// millrace learn
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addLearn(program: Command, act: Act): void {
  describe(program.command('learn'), 'find dependencies from what streams read of each other', [
    'learn',
    'learn --write',
    'learn plan.yaml --json',
  ])
    .argument('[file]', 'the manifest (- for standard input)', 'millrace.yaml')
    .option('--write', 'write the dependencies into the file')
    .action(act(async () => (await import('./find-deps.ts')).learn));
}
