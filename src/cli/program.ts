// The commands and their options. What a command does is loaded when it is called, so that
// `--help` does not pay for a server.
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { TIER_NAMES } from '../domain/tiers.ts';
import { EXIT } from './exit-codes.ts';
import { print } from './output.ts';

const HELP_HINT = 'Run with --help to see what is possible.';

/** An argument too many may be a secret that somebody meant to pass: it is not repeated. */
function hideArguments(message: string): string {
  return message.replace(/(Expected \d+ arguments? but got \d+): .*/, '$1.');
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const dataDir = () => new Option('--data-dir <folder>', 'folder of the embedded database');
const databaseUrl = () =>
  new Option('--database-url <url>', 'your own PostgreSQL instead of the embedded one');
const url = () => new Option('--url <url>', 'the server (default MILLRACE_URL or 127.0.0.1:4747)');
const json = () => new Option('--json', 'print machine-readable output');

function addServe(program: Command, act: Act): void {
  program
    .command('serve')
    .description('run the server')
    .addOption(new Option('--host <address>', 'address to listen on (default 127.0.0.1)'))
    .addOption(new Option('--port <number>', 'port to listen on (default 4747; 0: any free one)'))
    .addOption(dataDir())
    .addOption(
      new Option('--role <role>', 'what this process does').choices(['all', 'api', 'worker']),
    )
    .addOption(databaseUrl())
    .addOption(new Option('--json', 'print one line of JSON when ready'))
    .action(act(async () => (await import('./serve.ts')).serve));
}

function addApiKeys(program: Command, act: Act): void {
  const keys = program
    .command('api-keys')
    .description('manage the keys that callers authenticate with');
  keys
    .command('create')
    .description(
      'create an API key, and the account when there is none; works beside a running server',
    )
    .requiredOption('--email <address>', 'the account')
    .option('--name <name>', 'what the key is for', 'default')
    .addOption(new Option('--tier <tier>', 'sets the tier of the account').choices([...TIER_NAMES]))
    .option('--scopes <list>', 'what the key may do, separated by commas (default: everything)')
    .option('--expires-in-days <number>', 'when the key stops working (default: never)')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./api-keys.ts')).createKey));
  keys
    .command('list')
    .description('list the keys of an account')
    .requiredOption('--email <address>', 'the account')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./api-keys.ts')).listKeys));
  keys
    .command('revoke')
    .description('make a key stop working, on every node within seconds')
    .argument('<id>', 'the id of the key, as `list` shows it')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./api-keys.ts')).revokeKey));
}

function addJobs(program: Command, act: Act): void {
  const job = program.command('job').description('run single jobs on a server');
  job
    .command('run')
    .description('submit a prompt and show its answer as it is written; ctrl-c cancels the job')
    .requiredOption('--model <id>', 'the model')
    .option('--prompt <text>', 'a text, @file, or - for standard input')
    .option('--max-tokens <number>', 'cap on output tokens', '4096')
    .option('--stream <id>', 'name of the stream', 'cli')
    .option('--timeout <ms>', 'timeout of the job in milliseconds')
    .option('--detach', 'print the job id and leave')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./job.ts')).runJob));
  job
    .command('get')
    .description("show a job's output, or how far it is")
    .argument('<id>', 'the job id')
    .option('--wait <seconds>', 'wait up to 60 seconds for its end')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./job.ts')).getJob));
  job
    .command('cancel')
    .description('cancel a job')
    .argument('<id>', 'the job id')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./job.ts')).cancelJob));
  program
    .command('history')
    .description('list your runs, or show one with its streams')
    .argument('[id]', 'a run id')
    .option('--limit <number>', 'runs per page, 1 to 100')
    .option('--offset <number>', 'runs to skip')
    .option('--status <status>', 'pending, in_progress, paused, complete, failed or cancelled')
    .option('--feature <text>', 'only runs whose feature contains this')
    .option('--since <time>', 'only runs started at or after this ISO time')
    .option('--until <time>', 'only runs started before this ISO time')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./history.ts')).showHistory));
}

function addKeys(program: Command, act: Act): void {
  const keys = program
    .command('keys')
    .description('manage your own provider keys on a server (MILLRACE_API_KEY says who you are)');
  keys
    .command('list')
    .description('list your stored provider keys, masked')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./keys.ts')).listKeys));
  keys
    .command('add')
    .description('store a key; it is asked for without showing it, or read from standard input')
    .argument('<provider>', 'anthropic, openai, google or openrouter')
    .option('--accept-terms', 'do not ask: the key will be used to call the provider in your name')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./keys.ts')).addKey));
  keys
    .command('test')
    .description('ask the provider whether the stored key still works')
    .argument('<provider>', 'anthropic, openai, google or openrouter')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./keys.ts')).testKey));
  keys
    .command('rm')
    .description('delete a stored key')
    .argument('<provider>', 'anthropic, openai, google or openrouter')
    .addOption(url())
    .addOption(json())
    .action(act(async () => (await import('./keys.ts')).removeKey));
}

function addOperations(program: Command, act: Act): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./migrate.ts')).migrateDatabase));
  program
    .command('secrets')
    .description('manage the master keys that seal stored provider keys')
    .command('rotate')
    .description('make a new master key and move every stored secret under it, while servers run')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./secrets.ts')).rotateSecrets));
  program
    .command('doctor')
    .description('check whether Millrace can run here, and say what to do when not')
    .addOption(dataDir())
    .addOption(databaseUrl())
    .addOption(json())
    .action(act(async () => (await import('./doctor.ts')).doctor));
  program
    .command('demo')
    .description('start a server and run a few jobs with the simulated model')
    .option('--exit', 'stop when the jobs have ended')
    .addOption(
      new Option('--port <number>', 'port to listen on (default 4747 or the next free one)'),
    )
    .addOption(dataDir())
    .action(act(async () => (await import('./demo.ts')).demo));
}

export type CommandOptions = Record<string, string | boolean | undefined>;
/** Returns the exit code. `args` are the positional arguments. */
export type CommandAction = (options: CommandOptions, args: string[]) => Promise<number>;
type Act = (load: () => Promise<CommandAction>) => (...all: unknown[]) => Promise<void>;

export async function run(argv: string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const act: Act =
    (load) =>
    async (...all) => {
      const command = all.at(-1) as Command;
      const options = command.optsWithGlobals<CommandOptions>();
      try {
        exitCode = await (await load())(options, command.args);
      } catch (error) {
        const { reportFailure } = await import('./failure.ts');
        exitCode = reportFailure(error, options['json'] === true);
      }
    };
  const program = new Command('millrace')
    .description('Runs language-model orchestrations.')
    .version(version(), '-V, --version')
    .showHelpAfterError(HELP_HINT)
    .exitOverride();
  // Set before the commands are added: they take it over.
  program.configureOutput({ outputError: (text, write) => write(hideArguments(text)) });
  program.configureHelp({ showGlobalOptions: true });
  addServe(program, act);
  addApiKeys(program, act);
  addJobs(program, act);
  addKeys(program, act);
  addOperations(program, act);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    if (argv.includes('--json')) {
      const message = hideArguments(error.message.replace(/^error: /, ''));
      print(JSON.stringify({ error: { code: 'USAGE', message, hint: HELP_HINT } }));
    }
    return EXIT.usage;
  }
  return exitCode;
}
