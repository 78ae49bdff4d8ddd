// millrace serve
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { App } from '../../../app/app.ts';
import { ProcessStartError } from '../../../app/processes/process-start-error.ts';
import { describePlaces, splitProcesses } from '../../../app/processes/split.ts';
import type { Config } from '../../../config/config.ts';
import { compileCacheEnv } from '../../../platform/compile-cache.ts';
import type { Logger, Scrubber } from '../../../platform/log.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { untilStopped } from '../../stop-signal.ts';
import { logLineFor } from '../../terminal/log-line.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { databaseFlags } from './database-flags.ts';

export function addServe(program: Command, act: Act): void {
  describe(program.command('serve'), 'run the server', [
    'serve',
    'serve --port 0 --json',
    'serve --processes 1',
    'serve --role worker --database-url postgres://db.example.com/millrace',
  ])
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <number>', 'port to listen on (default 4747; 0: any free one)')
    .addOption(
      new Option('--role <role>', 'what this server does').choices(['all', 'api', 'worker']),
    )
    .option(
      '--processes <number>',
      'processes that share the work (default: one for every two cores, at most 4)',
    )
    .addOption(
      new Option('--log-format <format>', 'text (default on a terminal) or json').choices([
        'text',
        'json',
      ]),
    )
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => serve));
}

/** People read the log on a terminal; everywhere else programs do. */
function writerFor(options: CommandOptions): (line: string) => void {
  const asked =
    options['logFormat'] ?? (process.stderr.isTTY && !options['json'] ? 'text' : 'json');
  if (asked === 'json') return (line) => void process.stderr.write(line);
  return (line) => {
    const text = logLineFor(line);
    if (text !== undefined) process.stderr.write(`${text}\n`);
  };
}

function greet(
  app: Pick<App, 'url' | 'healthUrl'>,
  config: Config,
  version: string,
  setupUrl: string | undefined,
): void {
  const row = (name: string, value: string) =>
    print(`  ${styled('dim', name.padEnd(11))}  ${value}`);
  print(styled('bold', `Millrace ${version}${app.url ? '' : ' worker'} is ready`));
  if (app.url) {
    row('Dashboard', app.url);
    row('Reference', `${app.url}/docs`);
  }
  if (app.healthUrl !== undefined) row('Health', `${app.healthUrl}/healthz`);
  row(
    'Data folder',
    config.databaseUrl === undefined ? config.dataDir : 'none (your own PostgreSQL)',
  );
  if (config.processes > 1) row('Processes', describePlaces(splitProcesses(config)));
  row('Simulator', config.simulator ? 'on: models named sim-* answer without a key' : 'off');
  print('');
  if (setupUrl !== undefined) {
    print('Set up your account (the link works once, for 24 hours):');
    print(`  ${setupUrl}`);
    print('');
  }
  if (app.url) {
    print('Commands on this machine act as you. For programs, create an API key:');
    print(`  ${commandLine('api-keys', 'create')}`);
    print('');
  }
  print('Requests that fail show up here. Press ctrl-c to stop.');
}

const PROCESS_ENTRY = fileURLToPath(
  new URL(`./serve-process${extname(import.meta.url)}`, import.meta.url),
);

/** Only what is needed is loaded: a supervisor answers no requests and runs no jobs. */
async function startServing(
  config: Config,
  deps: { log: Logger; scrubber: Scrubber; write(line: string): void },
): Promise<App> {
  if (config.processes === 1) {
    const { startApp } = await import('../../../app/app.ts');
    return startApp(config, deps);
  }
  const { startProcesses } = await import('../../../app/processes/supervisor.ts');
  const write = (lines: string) => {
    for (const line of lines.trimEnd().split('\n')) deps.write(`${line}\n`);
  };
  const entry = { path: PROCESS_ENTRY, env: { ...process.env, ...compileCacheEnv() } };
  return startProcesses(config, { ...deps, write, entry });
}

function isEndedProcess(error: unknown): boolean {
  return error instanceof ProcessStartError && error.code === 'PROCESS_ENDED';
}

async function serve(options: CommandOptions): Promise<number> {
  const { VERSION } = await import('../../../app/version.ts');
  const { createLogger, createScrubber } = await import('../../../platform/log.ts');
  const { configOf } = await import('../../settings/settings.ts');
  const config = configOf(options);
  const scrubber = createScrubber();
  const write = writerFor(options);
  const log = createLogger({ level: config.logLevel, scrubber, write });
  // Asked for before the start, so that a signal during the start stops it in order, too.
  const stopped = untilStopped();
  let isStopping = false;
  void stopped.then(() => (isStopping = true));
  let app: App;
  try {
    app = await startServing(config, { log, scrubber, write });
  } catch (error) {
    // Its processes may have met the same signal before they could listen for it.
    if (isStopping && isEndedProcess(error)) return EXIT.ok;
    throw error;
  }
  const { url, healthUrl } = app;
  const setupUrl = await app.makeSetupUrl();
  if (options['json']) {
    const health = healthUrl === undefined ? {} : { healthUrl };
    const setup = setupUrl === undefined ? {} : { setupUrl };
    const ready = { ready: true, url: url ?? null, role: config.role };
    print(JSON.stringify({ ...ready, ...health, ...setup }));
  } else if (process.stdout.isTTY) greet(app, config, VERSION, setupUrl);
  else if (url) {
    print(`Millrace ${VERSION} is ready on ${url} (reference: ${url}/docs)`);
    if (setupUrl !== undefined) print(`Set up your account: ${setupUrl}`);
  } else {
    const health = healthUrl === undefined ? '' : ` (health: ${healthUrl}/healthz)`;
    print(`Millrace ${VERSION} worker is ready${health}`);
  }
  const signal = await stopped;
  if (!options['json'] && signal !== 'closed') {
    note('Stopping: finishing what is running. Press ctrl-c again to stop at once.');
  }
  await app.close();
  return EXIT.ok;
}
