// The settings of commands that talk to a server: flags, then the environment, the project's file,
// the user's files, defaults.
import type { KnownForge } from '../../git/forges/create-forge.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { CommandOptions } from '../command.ts';
import {
  APPLY_MODES,
  readCredentials,
  readProjectFile,
  readUserFile,
  userFilePath,
} from './settings-files.ts';
import type { AgentDefinition } from './settings-files.ts';
import { findSignIn, serverName } from './sign-ins.ts';

export type ApplyMode = (typeof APPLY_MODES)[number];

/** A value and where it was found, as one would name it to the user. */
export interface Found<T extends string = string> {
  value: T;
  from: string;
}

export interface ClientSettings {
  url: Found;
  /** Why no key may be sent to the URL, if so. */
  urlRefused: string | undefined;
  /** Or the token of a sign-in, which is sent the same way. */
  apiKey: Found | undefined;
  /** Whether `apiKey` is what `login` has stored for this server. */
  isSignedIn: boolean;
  profile: Found;
  /** The project's root folder, if not the working folder. */
  workspace: Found | undefined;
  model: Found | undefined;
  /** The team to act in, by id, slug or name. */
  team: Found | undefined;
  apply: Found<ApplyMode>;
  /** Commands of manifests run in the sandbox, whatever a manifest says. */
  sandboxCommands: Found<'true'> | undefined;
  agents: AgentSettings;
  /** What the person says of hosts of repositories. */
  forges: Readonly<Record<string, KnownForge>>;
  /** What the folder of a branch gets besides the files of its commit, by the project. */
  worktreeCopyOf: ReadonlyMap<string, readonly string[]>;
}

/** What a person's own file says of agents. */
export interface AgentSettings {
  /** The file, as one would name it to the user. */
  file: string;
  defined: Readonly<Record<string, AgentDefinition>>;
  maxCostUsd: number;
  /** Projects whose commands run as the person does, also over what agents changed. */
  onHost: ReadonlySet<string>;
  /** Agents that work with the person's subscription. */
  ownLogins: ReadonlySet<string>;
  /** What agents may run besides the commands of their streams, by the project. */
  commandsOf: ReadonlyMap<string, readonly string[]>;
}

/** Nobody set a limit: enough for a large task, and no surprise. */
const AGENT_MAX_COST_USD = 5;

type Name = 'url' | 'apiKey' | 'profile' | 'workspace' | 'model' | 'team' | 'apply';
type Layer = { from: (name: Name) => string; values: Partial<Record<Name, unknown>> };

const VARIABLES: Record<Exclude<Name, 'model'>, string> = {
  url: 'MILLRACE_URL',
  apiKey: 'MILLRACE_API_KEY',
  profile: 'MILLRACE_PROFILE',
  workspace: 'MILLRACE_WORKSPACE',
  team: 'MILLRACE_TEAM',
  apply: 'MILLRACE_APPLY',
};
const FLAGS: Record<Name, string> = {
  url: '--url',
  apiKey: '--api-key',
  profile: '--profile',
  workspace: '--workspace',
  model: '--model',
  team: '--team',
  apply: '--apply',
};
const DEFAULT_URL = 'http://127.0.0.1:4747';
const DEFAULT_PROFILE = 'default';
/** As one would name it to the user. */
const SIGN_IN = 'millrace login';

function find(layers: readonly Layer[], name: Name): Found | undefined {
  for (const { from, values } of layers) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') return { value, from: from(name) };
  }
  return undefined;
}

function environment(env: NodeJS.ProcessEnv): Layer {
  const values = Object.entries(VARIABLES).map(([name, variable]) => {
    const value = env[variable];
    // Assistants pass on `${MILLRACE_URL}` as it is in their config file where it is not set.
    return [name, value !== undefined && /^\$\{.*\}$/s.test(value) ? undefined : value];
  });
  return {
    from: (name) => (name === 'model' ? '' : VARIABLES[name]),
    values: Object.fromEntries(values) as Layer['values'],
  };
}

export function readClientSettings(
  options: CommandOptions,
  env: NodeJS.ProcessEnv,
  folder: string,
): ClientSettings {
  const project = readProjectFile(folder);
  const user = readUserFile(env);
  const near: Layer[] = [{ from: (name) => FLAGS[name], values: options }, environment(env)];
  if (project) near.push({ from: () => project.path, values: project.values });
  const {
    profiles,
    trustedServers = [],
    sandboxCommands,
    agents = {},
    agentMaxCostUsd = AGENT_MAX_COST_USD,
    projects = {},
    forges = {},
    ...general
  } = user?.values ?? {};
  const far: Layer = { from: () => user?.path ?? '', values: general };

  const profile = find([...near, far], 'profile') ?? { value: DEFAULT_PROFILE, from: 'default' };
  const chosen = profiles?.[profile.value];
  const layers = [...near, { from: far.from, values: chosen ?? {} }, far];
  const givenKey = find(near.slice(0, 2), 'apiKey');
  if (profile.value !== DEFAULT_PROFILE && !chosen && !storedKey(env, profile.value)) {
    const known = Object.keys(profiles ?? {}).join(', ') || 'none';
    throw new ConfigError([
      `Unknown profile "${profile.value}" (${profile.from}). Profiles: ${known}`,
    ]);
  }
  const stored = readCredentials(env);
  const current = givenKey === undefined ? stored?.values.currentServer : undefined;
  const byDefault =
    current === undefined
      ? { value: DEFAULT_URL, from: 'default' }
      : { value: current, from: SIGN_IN };
  const url = checkUrl(find(layers, 'url') ?? byDefault);
  const signIn = givenKey === undefined ? findSignIn(stored?.values, url.value) : undefined;
  const apiKey =
    givenKey ?? (signIn ? { value: signIn.token, from: SIGN_IN } : storedKey(env, profile.value));
  // What the user's own settings lead to; a key that is kept with a profile is for its server alone.
  const others = givenKey ? Object.values(profiles ?? {}).map((each) => each.url) : [];
  const own = [chosen?.url ?? general.url ?? DEFAULT_URL, ...others, ...trustedServers];
  // A person who has signed in to a server trusts it with that sign-in, and with nothing else.
  if (signIn) own.push(serverName(url.value));
  return {
    url,
    urlRefused: url.from === project?.path ? whyRefused(url, own) : undefined,
    apiKey,
    isSignedIn: signIn !== undefined,
    profile,
    workspace: find(layers, 'workspace'),
    model: find(layers, 'model'),
    team: find(layers, 'team'),
    apply: checkApply(find(layers, 'apply') ?? { value: 'ask', from: 'default' }),
    forges,
    worktreeCopyOf: new Map(
      Object.entries(projects).map(([root, { worktreeCopy = [] }]) => [root, worktreeCopy]),
    ),
    sandboxCommands: sandboxCommands ? { value: 'true', from: user!.path } : undefined,
    agents: {
      file: user?.path ?? userFilePath(env),
      defined: agents,
      maxCostUsd: agentMaxCostUsd,
      ownLogins: new Set(
        Object.entries(agents).flatMap(([name, { auth }]) => (auth === 'own' ? [name] : [])),
      ),
      onHost: new Set(
        Object.entries(projects).flatMap(([root, { commands }]) =>
          commands === 'host' ? [root] : [],
        ),
      ),
      commandsOf: new Map(
        Object.entries(projects).map(([root, { agentCommands = [] }]) => [root, agentCommands]),
      ),
    },
  };
}

function storedKey(env: NodeJS.ProcessEnv, profile: string): Found | undefined {
  const stored = readCredentials(env);
  const key = stored?.values.profiles[profile]?.apiKey;
  return stored && key !== undefined ? { value: key, from: stored.path } : undefined;
}

function checkUrl(url: Found): Found {
  if (/^https?:$/.test(URL.parse(url.value)?.protocol ?? '')) return url;
  throw new ConfigError([`"${url.value}" is not an http or https URL (${url.from})`]);
}

function checkApply(apply: Found): Found<ApplyMode> {
  const value = APPLY_MODES.find((mode) => mode === apply.value);
  if (value !== undefined) return { value, from: apply.from };
  throw new ConfigError([`${apply.from} "${apply.value}": use ${APPLY_MODES.join(', ')}`]);
}

/**
 * The project's file may come with a repository of another person. If it could name any server, a
 * clone and one command would send them the user's key. An address of this machine is no better:
 * anybody who has an account on it can listen there.
 */
function whyRefused(url: Found, own: readonly (string | undefined)[]): string | undefined {
  const { origin } = new URL(url.value);
  if (own.some((each) => each !== undefined && URL.parse(each)?.origin === origin))
    return undefined;
  return (
    `${url.from} names the server ${origin}, which is not in your settings. Your key was not sent. ` +
    `If you trust it, pass --url ${url.value}, set MILLRACE_URL, or add it to trustedServers in your settings file.`
  );
}
