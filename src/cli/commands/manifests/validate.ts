// millrace validate
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addValidate(program: Command, act: Act): void {
  describe(program.command('validate'), 'check manifests and show what is wrong', [
    'validate',
    'validate --strict a.yaml b.yaml',
    'validate - --json < generated.yaml',
  ])
    .argument('[files...]', 'manifests (default millrace.yaml; - for standard input)')
    .option('--strict', 'treat warnings as errors')
    .action(act(async () => (await import('./check-files.ts')).validate));
}
