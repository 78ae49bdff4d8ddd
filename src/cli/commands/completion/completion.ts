// millrace completion bash | zsh | fish
import type { Command } from 'commander';
import { Argument } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletion(program: Command, act: Act): void {
  describe(program.command('completion'), 'print a completion script for your shell', [
    'completion bash              # in ~/.bashrc: source <(millrace completion bash)',
    'completion zsh               # in ~/.zshrc: source <(millrace completion zsh)',
    'completion fish | source     # in config.fish',
  ])
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(
      act(async () => async (options, [shell = '']) => {
        const script = await scriptFor(program, shell as (typeof SHELLS)[number]);
        print(options['json'] ? JSON.stringify({ shell, script }) : script.trimEnd());
        return EXIT.ok;
      }),
    );
  program
    .command('__complete', { hidden: true })
    .argument('<what>')
    .action(
      act(async () => async (options, [what = '']) => {
        const { valuesOf } = await import('./values.ts');
        for (const value of await valuesOf(what, options)) print(value);
        return EXIT.ok;
      }),
    );
}

async function scriptFor(program: Command, shell: (typeof SHELLS)[number]): Promise<string> {
  const { commandTable } = await import('./command-table.ts');
  const table = commandTable(program);
  switch (shell) {
    case 'bash':
      return (await import('./bash.ts')).bashCompletion(table);
    case 'zsh':
      return (await import('./zsh.ts')).zshCompletion(table);
    case 'fish':
      return (await import('./fish.ts')).fishCompletion(table);
  }
}
