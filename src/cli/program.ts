// The commands and their options. What a command does is loaded when it is called, so that
// `--help` does not pay for a server.
import { Command, CommanderError, Help } from 'commander';
import { runAtEnd } from './at-end.ts';
import { tolerateClosedOutput } from './terminal/closed-output.ts';
import { describe } from './command.ts';
import type { Act, CommandOptions } from './command.ts';
import { taskAfterDashes } from './commands/executions/task-after-dashes.ts';
import {
  ACCOUNT_NOUNS,
  JOB_NOUNS,
  KEY_NOUNS,
  MORE_NOUNS,
  RUN_NOUNS,
  SERVER_NOUNS,
  addNoun,
} from './commands/nouns.ts';
import type { Noun } from './commands/nouns.ts';
import { addTokens } from './commands/api-keys/tokens.ts';
import { addHelp } from './commands/help/help.ts';
import { addCompletion } from './commands/completion/completion.ts';
import { addManifests } from './commands/manifests/manifests.ts';
import { addRuns } from './commands/runs/flags.ts';
import { addDemo } from './commands/server/demo.ts';
import { endWithRunner } from './end-with-runner.ts';
import { EXIT } from './exit-codes.ts';
import { addGlobalFlags, applyGlobalFlags } from './settings/global-flags.ts';
import { hideSecrets } from './terminal/hide-secrets.ts';
import { print } from './terminal/output.ts';
import { version } from './version.ts';

const HELP_HINT = 'Run with --help to see what it takes.';

type Add = (program: Command, act: Act) => void;

const GROUPS: readonly (readonly [string, readonly (Add | Noun)[]])[] = [
  ['Manifests and runs', [addManifests, addRuns, ...RUN_NOUNS]],
  ['Jobs and executions', JOB_NOUNS],
  ['Keys and webhooks', KEY_NOUNS],
  ['Account and team', ACCOUNT_NOUNS],
  ['Server', SERVER_NOUNS],
  ['More', [addDemo, ...MORE_NOUNS, addCompletion, addHelp, addTokens]],
];

/** Options of every command are listed once, by `help options`. */
function helpOf(command: Command, help: Help): string {
  // The list of commands is what people look for here.
  if (command.parent === null) help.visibleOptions = () => [];
  const text = Help.prototype.formatHelp.call(help, command, help);
  return `${text}\nOptions of every command, such as --json and -C: millrace help options\n`;
}

/** The words that name it, such as `exec get`. */
function pathOf(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

/** With the commands that `argv` names, or all of them when it is not given. */
export async function createProgram(act: Act, argv?: readonly string[]): Promise<Command> {
  const program = describe(
    new Command('millrace'),
    'Run language-model work: manifests in your project, tasks and prompts on a server.',
    [
      'demo                  # see it at work, with a simulated model',
      'init                  # write a manifest for this project',
      'plan                  # what it would do, and what that may cost',
      'run                   # do it',
    ],
  )
    .version(version(), '-V, --version')
    .showHelpAfterError(HELP_HINT)
    .exitOverride();
  // Set before the commands are added: they take it over.
  program.configureOutput({ outputError: (text, write) => write(hideSecrets(text)) });
  program.configureHelp({ formatHelp: helpOf, subcommandTerm: (command) => command.name() });
  addGlobalFlags(program);
  for (const [group, nouns] of GROUPS) {
    program.commandsGroup(`${group}:`);
    for (const noun of nouns) {
      if (typeof noun === 'function') noun(program, act);
      else await addNoun(noun, program, act, argv);
    }
  }
  return program;
}

const HELP_FLAGS: ReadonlySet<string> = new Set(['-h', '--help']);

/** Whether the words name no command: then asking for its help shows that of the group it is not in. */
function isUnknownCommand(program: Command, argv: string[]): boolean {
  let at = program;
  for (const word of program.parseOptions(argv).operands) {
    const isGroup = at.commands.length > 0 && at.registeredArguments.length === 0;
    if (!isGroup) return false;
    const next = at.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) return true;
    at = next;
  }
  return false;
}

export async function run(argv: string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const act: Act =
    (load) =>
    async (...all) => {
      const command = all.at(-1) as Command;
      const options = command.optsWithGlobals<CommandOptions>();
      try {
        applyGlobalFlags(options);
        exitCode = await (await load())(options, command.args);
      } catch (error) {
        const { reportFailure } = await import('./failure.ts');
        exitCode = await reportFailure(error, options, pathOf(command));
      } finally {
        await runAtEnd();
      }
    };
  endWithRunner();
  tolerateClosedOutput();
  try {
    const program = await createProgram(act, argv);
    const asksForHelp = argv.some((word) => HELP_FLAGS.has(word));
    const isUnknown = asksForHelp && isUnknownCommand(program, argv);
    const words = isUnknown ? argv.filter((word) => !HELP_FLAGS.has(word)) : taskAfterDashes(argv);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    if (argv.includes('--json')) {
      const message = hideSecrets(error.message.replace(/^error: /, ''));
      print(JSON.stringify({ error: { code: 'USAGE', message, hint: HELP_HINT } }));
    }
    return EXIT.usage;
  }
  return exitCode;
}
