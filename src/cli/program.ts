// The commands and their options. What a command does is loaded when it is called, so that
// `--help` does not pay for a server.
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { tolerateClosedOutput } from './terminal/closed-output.ts';
import { describe } from './command.ts';
import type { Act, CommandOptions } from './command.ts';
import { addApiKeys } from './commands/api-keys/api-keys.ts';
import { addExecutions, taskAfterDashes } from './commands/executions/exec.ts';
import { addHelp } from './commands/help/flags.ts';
import { addHistory } from './commands/history/history.ts';
import { addJobs } from './commands/jobs/jobs.ts';
import { addCompletion } from './commands/completion/completion.ts';
import { addModels } from './commands/models/models.ts';
import { addManifests } from './commands/manifests/flags.ts';
import { addRuns } from './commands/runs/flags.ts';
import { addKeys } from './commands/keys/keys.ts';
import { addOperations, addServe } from './commands/server/flags.ts';
import { addWebhooks } from './commands/webhooks/webhooks.ts';
import { EXIT } from './exit-codes.ts';
import { addGlobalFlags, applyGlobalFlags } from './settings/global-flags.ts';
import { hideSecrets } from './terminal/hide-secrets.ts';
import { print } from './terminal/output.ts';

const HELP_HINT = 'Run with --help to see what is possible.';

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The words that name it, such as `exec get`. */
function pathOf(command: Command): string {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words.join(' ');
}

export function createProgram(act: Act): Command {
  const program = describe(new Command('millrace'), 'Runs language-model orchestrations.', [
    'demo                  # the service at work, with a simulated model',
    'init                  # write a manifest for this project',
    'plan                  # what it would do, and what that may cost',
  ])
    .version(version(), '-V, --version')
    .showHelpAfterError(HELP_HINT)
    .exitOverride();
  // Set before the commands are added: they take it over.
  program.configureOutput({ outputError: (text, write) => write(hideSecrets(text)) });
  program.configureHelp({ showGlobalOptions: true });
  addGlobalFlags(program);
  addManifests(program, act);
  addRuns(program, act);
  addJobs(program, act);
  addExecutions(program, act);
  addHistory(program, act);
  addModels(program, act);
  addKeys(program, act);
  addWebhooks(program, act);
  addServe(program, act);
  addApiKeys(program, act);
  addOperations(program, act);
  addCompletion(program, act);
  addHelp(program, act);
  return program;
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
        exitCode = reportFailure(error, options, pathOf(command));
      }
    };
  tolerateClosedOutput();
  try {
    await createProgram(act).parseAsync(taskAfterDashes(argv), { from: 'user' });
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
