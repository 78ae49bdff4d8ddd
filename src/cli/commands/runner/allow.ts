// What the owner of this machine lets runs of others do. It is said here and nowhere else: no server can change it.
import { homedir } from 'node:os';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { ENV_NAME, changeRunnerFile, readRunnerFile } from '../../../runner/runner-file.ts';
import type { AllowedProject, RunnerFile } from '../../../runner/runner-file.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { showOutcome } from '../../show-outcome.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { complain } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

const here = () => stateHomeOf(process.env, homedir());
const ownLoginAgents = () => readClientSettings({}, process.env, homedir()).agents.ownLogins;
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/;

function projectIn(file: RunnerFile, name: string): AllowedProject {
  const project = Object.hasOwn(file.projects, name) ? file.projects[name] : undefined;
  if (project !== undefined) return project;
  const names = Object.keys(file.projects).join(', ') || 'none';
  throw new CommandError({
    code: 'NOT_FOUND',
    message: `No runner of this machine has a project "${plain(name)}". There are: ${names}.`,
    hint: `Add it with: ${commandLine('runner', '--project', `PATH=${name}`)}`,
  });
}

async function change(
  name: string,
  by: (project: AllowedProject) => AllowedProject,
): Promise<AllowedProject> {
  const file = await changeRunnerFile(here(), (now) => ({
    ...now,
    projects: { ...now.projects, [name]: by(projectIn(now, name)) },
  }));
  return projectIn(file, name);
}

/** Without the values of its variables. */
function shown(name: string, project: AllowedProject) {
  const { path, repo, inPlace, commands, hosts, ownLogins, env } = project;
  const document = {
    project: name,
    path: path ?? null,
    repo: repo ?? null,
    inPlace,
    commands,
    hosts,
    ownLogins,
    variables: Object.keys(env).sort(),
  };
  const lines = [
    `Project    ${name}`,
    `Where      ${plain(path ?? repo ?? '')}`,
    `Works      ${inPlace ? 'on branches, and in the folder itself' : 'on branches only'}`,
    `Commands   ${commands === 'host' ? 'run as you do, outside of the sandbox' : 'in the sandbox'}`,
    `Reach      ${hosts.length === 0 ? 'no host' : hosts.join(', ')}`,
    `Logins     ${ownLogins.length === 0 ? 'agents use keys of the server, not your own logins' : `${ownLogins.join(', ')} may use yours`}`,
    `Variables  ${document.variables.join(', ') || 'none'}`,
  ];
  return { document, text: lines.join('\n') };
}

const RISK =
  'Everybody who may ask for runs of this project, and the server itself, could then run any command as you, with all your files and keys.';

export async function allow(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const { commands, inPlace } = options;
  const hosts = (Array.isArray(options['host']) ? options['host'] : []).map((host) =>
    String(host).toLowerCase(),
  );
  for (const host of hosts) {
    if (!HOST.test(host)) throw new ConfigError([`--host "${host}": is not the name of a host`]);
  }
  if (commands !== undefined && commands !== 'sandbox' && commands !== 'host') {
    throw new ConfigError([`--commands "${String(commands)}": write sandbox or host`]);
  }
  const logins = (Array.isArray(options['ownLogin']) ? options['ownLogin'] : []).map(String);
  for (const agent of logins) {
    if (!ownLoginAgents().has(agent)) {
      throw new ConfigError([
        `--own-login "${agent}": no agent of this name has "auth: own" in your settings`,
      ]);
    }
  }
  projectIn(readRunnerFile(here()), name);
  if (commands === 'host') {
    complain(RISK);
    if (!(await confirmed(options, 'Trust the server with this machine?'))) {
      throw new CommandError({
        code: 'NOT_CONFIRMED',
        message: 'Nothing was changed.',
        hint: 'Commands stay in the sandbox.',
      });
    }
  }
  const project = await change(name, (now) => ({
    ...now,
    ...(typeof inPlace === 'boolean' && { inPlace }),
    ...((commands === 'sandbox' || commands === 'host') && { commands }),
    ...(options['hosts'] === false && { hosts: [] }),
    ...(options['ownLogins'] === false && { ownLogins: [] }),
    ...(logins.length > 0 && {
      ownLogins: [...new Set([...now.ownLogins, ...logins])].sort(),
    }),
    ...(hosts.length > 0 && { hosts: [...new Set([...now.hosts, ...hosts])].sort() }),
  }));
  return showOutcome(options, shown(name, project));
}

export async function setVariables(
  options: CommandOptions,
  [name = '', ...words]: string[],
): Promise<number> {
  const given = words.map((word): [string, string] => {
    const at = word.indexOf('=');
    const variable = at < 0 ? word : word.slice(0, at);
    if (!ENV_NAME.test(variable)) {
      throw new ConfigError([`"${variable}" is not the name of a variable`]);
    }
    const value = at < 0 ? process.env[variable] : word.slice(at + 1);
    if (value === undefined) throw new ConfigError([`${variable} is not set in this shell`]);
    return [variable, value];
  });
  const removed = new Set((Array.isArray(options['remove']) ? options['remove'] : []).map(String));
  const project = await change(name, (now) => ({
    ...now,
    env: Object.fromEntries(
      [...Object.entries(now.env), ...given].filter(([variable]) => !removed.has(variable)),
    ),
  }));
  return showOutcome(options, shown(name, project));
}

export async function forget(options: CommandOptions, [name = '']: string[]): Promise<number> {
  await changeRunnerFile(here(), (file) => {
    projectIn(file, name);
    const projects = Object.entries(file.projects).filter(([each]) => each !== name);
    return { ...file, projects: Object.fromEntries(projects) };
  });
  const text = `The runners of this machine do not work on ${plain(name)} any more.`;
  return showOutcome(options, { document: { project: name, forgotten: true }, text });
}
