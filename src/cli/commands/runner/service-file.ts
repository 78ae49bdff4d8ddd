// The runner as a service of the person's own account: a unit of systemd, or an agent of launchd. No credential is in the
// file, which others may read: the runner takes the person's sign-in, or an environment file that only they can read.
import { plainCommand } from '../../../domain/command/suggested-command.ts';

export interface Service {
  name: string;
  /** Absolute. */
  program: readonly string[];
  folder: string;
  /** Variables that say where settings and state are. */
  env: Readonly<Record<string, string>>;
  /** Absolute; it has KEY=VALUE lines. */
  environmentFile: string | undefined;
}

/** Sets our files apart from others of the same name. */
export const MARK = `Written by ${plainCommand('runner', 'install')}`;

/** A line of a unit ends where the word does. */
const UNFIT = /[\p{Cc}]/u;

export class ServiceTextError extends Error {
  override name = 'ServiceTextError';
}

function fit(word: string): string {
  if (!UNFIT.test(word) && word.isWellFormed()) return word;
  throw new ServiceTextError(`${JSON.stringify(word)} has characters that a service cannot have`);
}

const percents = (word: string) => fit(word).replaceAll('%', '%%');
const quoted = (word: string) => `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export function systemdUnit({ name, program, folder, env, environmentFile }: Service): string {
  const [file = '', ...args] = program;
  return [
    `# ${MARK}; it writes it anew.`,
    '[Unit]',
    `Description=Millrace runner ${percents(name)}`,
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    // In front of the program a dollar stands for itself.
    `ExecStart=:${[file, ...args].map((word) => quoted(percents(word))).join(' ')}`,
    `WorkingDirectory=${percents(folder)}`,
    ...Object.entries(env).map(
      ([key, value]) => `Environment=${quoted(percents(`${key}=${value}`))}`,
    ),
    ...(environmentFile === undefined ? [] : [`EnvironmentFile=${percents(environmentFile)}`]),
    'Restart=always',
    'RestartSec=5',
    // What it has under way is given back before it ends.
    'KillMode=mixed',
    'TimeoutStopSec=90',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

const xml = (word: string) =>
  fit(word).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function launchdAgent(label: string, { program, folder, env, environmentFile }: Service) {
  const string = (word: string) => `<string>${xml(word)}</string>`;
  // launchd reads no environment files: a shell does, and becomes the runner.
  const words =
    environmentFile === undefined
      ? program
      : ['/bin/sh', '-c', 'set -a; . "$0"; set +a; exec "$@"', environmentFile, ...program];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${MARK}; it writes it anew. -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${string(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words.map((word) => `    ${string(word)}`),
    '  </array>',
    `  <key>WorkingDirectory</key>${string(folder)}`,
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(env).map(([key, value]) => `    <key>${xml(key)}</key>${string(value)}`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><true/>',
    '  <key>ExitTimeOut</key><integer>90</integer>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
