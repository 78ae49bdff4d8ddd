// millrace tokens: an earlier name of `api-keys`, which says so.
import type { Command } from 'commander';
import type { Act } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';

export function addTokens(program: Command, act: Act): void {
  program
    .command('tokens', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(
      act(async () => async (_options, words) => {
        throw usageError(
          `"tokens" is now "api-keys". Run: ${commandLine('api-keys', ...words)}`,
          '',
        );
      }),
    );
}
