// millrace init
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addInit(program: Command, act: Act): void {
  describe(program.command('init'), 'write a manifest for this project', [
    'init',
    'init --template feature --name checkout',
    'init --template workflow review.yaml',
  ])
    .argument('[file]', 'the file to write', 'millrace.yaml')
    .addOption(
      new Option('--template <name>', 'what to start from')
        .choices(['basic', 'feature', 'workflow'])
        .default('basic'),
    )
    .option('--name <name>', "name of the feature or workflow (default: the folder's)")
    .option('--force', 'overwrite the file if it exists')
    .option('--agents-file', 'also write an AGENTS.md if there is none (and no CLAUDE.md)')
    .action(act(async () => (await import('./init/write-manifest.ts')).init));
}
