// millrace runner install, uninstall
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { checkoutLauncher } from '../../../platform/launcher.ts';
import { makeFolder } from '../../../platform/make-folder.ts';
import { writeWholeFile } from '../../../platform/whole-file.ts';
import { CommandError, usageError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { showOutcome } from '../../show-outcome.ts';
import { print } from '../../terminal/output.ts';
import { MARK, ServiceTextError, launchdAgent, systemdUnit } from './service-file.ts';
import type { Service } from './service-file.ts';

const execute = promisify(execFile);
const LABEL = 'dev.millrace.runner';
const UNIT = 'millrace-runner.service';

interface Target {
  kind: 'systemd' | 'launchd';
  file: string;
}

function target(): Target {
  if (process.platform === 'darwin') {
    return { kind: 'launchd', file: join(homedir(), 'Library/LaunchAgents', `${LABEL}.plist`) };
  }
  if (process.platform === 'linux') {
    const given = process.env['XDG_CONFIG_HOME'] ?? '';
    const config = isAbsolute(given) ? given : join(homedir(), '.config');
    return { kind: 'systemd', file: join(config, 'systemd/user', UNIT) };
  }
  throw new CommandError({
    code: 'UNSUPPORTED',
    message: `There are no services of this kind on ${process.platform}.`,
    hint: `Start it with your own means: ${commandLine('runner')}`,
  });
}

const wordsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A folder stays the same one wherever the service is started. */
function projectWord(word: string): string {
  const [, path = word, name = ''] = /^(.*?)(=[^=/]+)?$/s.exec(word) ?? [];
  return resolve(path.replace(/^~(?=\/|$)/, homedir())) + name;
}

function flagsOf(options: CommandOptions): string[] {
  const one = (flag: string, name: string) => {
    const value = textOf(options, name);
    return value === undefined ? [] : [flag, value];
  };
  const many = (flag: string, name: string, change = (word: string) => word) =>
    wordsOf(options[name]).flatMap((word) => [flag, change(word)]);
  return [
    ...one('--url', 'url'),
    ...one('--profile', 'profile'),
    ...one('--team', 'team'),
    ...one('--name', 'name'),
    ...many('--project', 'project', projectWord),
    ...many('--repo', 'repo'),
    ...one('--concurrency', 'concurrency'),
    ...one('--clone-size', 'cloneSize'),
    ...one('--agents', 'agents'),
    ...many('--label', 'label'),
  ];
}

/** Only its owner may read it: it has a key in it. */
function environmentFileOf(options: CommandOptions): string | undefined {
  const given = textOf(options, 'environmentFile');
  if (given === undefined) return undefined;
  const file = resolve(given.replace(/^~(?=\/|$)/, homedir()));
  if (!existsSync(file)) throw usageError(`--environment-file ${file}: there is no such file`);
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) !== 0) {
    const hint = `Run: chmod 600 ${JSON.stringify(file)}`;
    throw usageError(`--environment-file ${file}: others can read it`, hint);
  }
  return file;
}

/** Where settings and state are, if not where they usually are; and the programs that agents need. */
const KEPT = ['PATH', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME'];
const KEPT_OWN = ['MILLRACE_CONFIG_DIR', 'MILLRACE_STATE_DIR', 'MILLRACE_URL', 'MILLRACE_PROFILE'];

function serviceOf(options: CommandOptions): Service {
  const launcher = checkoutLauncher();
  const main = process.argv[1] ?? '';
  const program = launcher === undefined ? [process.execPath, main] : [launcher];
  const kept = [...KEPT, ...KEPT_OWN].flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    name: textOf(options, 'name') ?? hostname(),
    program: [...program, 'runner', ...flagsOf(options)],
    folder: homedir(),
    env: Object.fromEntries(kept),
    environmentFile: environmentFileOf(options),
  };
}

function textFor({ kind }: Target, service: Service): string {
  try {
    return kind === 'systemd' ? systemdUnit(service) : launchdAgent(LABEL, service);
  } catch (error) {
    if (error instanceof ServiceTextError) throw usageError(error.message);
    throw error;
  }
}

function checkOurs(file: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8').includes(MARK)) return;
  throw new CommandError({
    code: 'FILE_EXISTS',
    message: `${file} was not written by this command, so it is left as it is.`,
    hint: 'Move it away first.',
  });
}

const startCommands = ({ kind, file }: Target): string[][] =>
  kind === 'systemd'
    ? [
        ['systemctl', '--user', 'daemon-reload'],
        ['systemctl', '--user', 'enable', UNIT],
        ['systemctl', '--user', 'restart', UNIT],
      ]
    : [['launchctl', 'load', '-w', file]];

const stopCommands = ({ kind, file }: Target): string[][] =>
  kind === 'systemd'
    ? [['systemctl', '--user', 'disable', '--now', UNIT]]
    : [['launchctl', 'unload', '-w', file]];

const AFTER = 'It stops when you log out, unless you run: loginctl enable-linger';

/** Why they did not all succeed; what cannot be run here is for the person to run. */
async function carryOut(commands: readonly string[][]): Promise<string | undefined> {
  for (const [program = '', ...args] of commands) {
    try {
      await execute(program, args, { timeout: 120_000 });
    } catch (error) {
      const { code, stderr } = error as { code?: unknown; stderr?: string };
      if (code === 'ENOENT') return `${program} is not here`;
      return (stderr ?? '').trim() || `${program} failed`;
    }
  }
  return undefined;
}

export async function installRunner(options: CommandOptions): Promise<number> {
  const to = target();
  const text = textFor(to, serviceOf(options));
  if (options['dryRun'] === true) {
    print(options['json'] ? JSON.stringify({ file: to.file, text }) : text.trimEnd());
    return EXIT.ok;
  }
  checkOurs(to.file);
  makeFolder(dirname(to.file), 0o700);
  await writeWholeFile(to.file, text, { mode: 0o600 });
  const commands = startCommands(to);
  const problem = await carryOut(commands);
  const lines = commands.map((words) => words.join(' '));
  return showOutcome(options, {
    document: { file: to.file, started: problem === undefined, commands: lines },
    text: `Wrote ${to.file}.`,
    notes:
      problem === undefined
        ? ['The runner is started, and will be when you log in.', AFTER]
        : [`It is not started: ${problem}. Run:`, ...lines.map((line) => `  ${line}`), AFTER],
  });
}

export async function uninstallRunner(options: CommandOptions): Promise<number> {
  const to = target();
  if (!existsSync(to.file)) {
    const text = 'There is no runner service here.';
    return showOutcome(options, { document: { file: to.file, removed: false }, text });
  }
  checkOurs(to.file);
  const problem = await carryOut(stopCommands(to));
  rmSync(to.file, { force: true });
  return showOutcome(options, {
    document: { file: to.file, removed: true },
    text: `Removed ${to.file}.`,
    notes: problem === undefined ? [] : [`The runner may still be running: ${problem}.`],
  });
}
