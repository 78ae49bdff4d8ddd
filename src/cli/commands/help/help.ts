// help: of a command, or about a topic.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';

function findCommand(program: Command, words: readonly string[]): Command | undefined {
  let found: Command | undefined = program;
  for (const word of words) found = found?.commands.find((command) => command.name() === word);
  return found;
}

export function addHelp(program: Command, act: Act): void {
  program.helpCommand(false);
  describe(program.command('help'), 'show help for a command or a topic', [
    'help plan',
    'help options',
    'help exit-codes',
  ])
    .argument('[words...]', 'a command, or: options, environment, exit-codes, formatting, manifest')
    .action(
      act(async () => async (options, words) => {
        const { HELP_TOPICS } = await import('./help-topics.ts');
        const topic = words.length === 1 ? HELP_TOPICS.get(words[0]!) : undefined;
        const text = topic?.(program) ?? findCommand(program, words)?.helpInformation().trimEnd();
        if (text === undefined) {
          throw new CommandError({
            code: 'UNKNOWN_TOPIC',
            message: `No command or topic named "${words.join(' ')}".`,
            hint: `Topics: ${[...HELP_TOPICS.keys()].join(', ')}. Commands: ${commandLine('--help')}`,
          });
        }
        print(options['json'] ? JSON.stringify({ help: text }) : text);
        return EXIT.ok;
      }),
    );
}
