// millrace new
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { instructionsFlag } from '../../flag-values.ts';
import { gitFlag } from '../runs/git-flag.ts';

export function addNew(program: Command, act: Act): void {
  describe(program.command('new'), 'plan a task and write it as a manifest', [
    "new 'Add search to the shelves'",
    "new 'Add search' --write search.yaml --run",
    'new --from specs/001-search/tasks.md',
  ])
    .argument('[task]', 'what to do, in your own words')
    .option(
      '--from <file>',
      'read the task, or a task list of spec-kit, from a file or - for stdin',
    )
    .addOption(
      new Option('--as <format>', 'what --from has (default: seen from its text)').choices([
        'spec-kit',
        'text',
      ]),
    )
    .option('--model <id>', 'the model that plans')
    .addOption(instructionsFlag())
    .option('--write <file>', 'the manifest to write', 'millrace.yaml')
    .option('--force', 'overwrite the manifest if it exists')
    .option('--edit', 'open the manifest in $EDITOR')
    .option('--run', 'run the manifest when it is written')
    .addOption(gitFlag())
    .option('--signoff', 'with --git: a Signed-off-by line in every commit')
    .option('--max-cost <dollars>', 'with --run: stop before the cost exceeds this')
    .option('--dry-run', 'print the prompt with the map of the repository; ask no model')
    .action(
      act(async () => {
        const [{ withHints }, { newManifest }] = await Promise.all([
          import('../runs/hints.ts'),
          import('./new/new-manifest.ts'),
        ]);
        return withHints(newManifest);
      }),
    );
}
