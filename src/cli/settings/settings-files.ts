// The files that settings of the client may come from: one of the project, which may be in version
// control and so never holds a key, and two of the user.
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CORE_SCHEMA, YAMLException, load } from 'js-yaml';
import { z } from 'zod';
import { KNOWN_AGENTS, factsOfAgent, isKnownAgent } from '../../agents/known/known-agents.ts';
import { ConfigError } from '../../config/config-error.ts';
import { ANSWER, LOOP } from '../../manifest/model.ts';

export const APPLY_MODES = ['ask', 'auto', 'never'] as const;

const text = z.string().min(1);
const shared = { url: text, model: text, team: text, apply: z.enum(APPLY_MODES) };
const Profile = z.strictObject({ ...shared, workspace: text }).partial();
const ProjectFile = z.strictObject({ ...shared, profile: text }).partial();
export const AGENT_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

const AgentName = z
  .string()
  .regex(AGENT_NAME, 'is not a name for an agent')
  .refine((name) => name !== ANSWER && name !== LOOP, 'is the name of an agent of Millrace itself');

/** A program that works as an agent. Only a person's own settings may name one. */
const Agent = z
  .strictObject({
    command: z.array(text).min(1),
    protocol: z.enum(['acp', 'stdin', 'headless']),
    /** The person's subscription instead of the model endpoint. */
    auth: z.literal('own'),
  })
  .partial();
export type AgentDefinition = z.infer<typeof Agent>;

/** Where it keeps the login of a subscription is known. */
const AGENTS_WITH_LOGIN = KNOWN_AGENTS.filter((name) => factsOfAgent(name).login !== undefined);

/** What Millrace knows of an agent by its name may be left out. */
const Agents = z.record(AgentName, Agent).superRefine((agents, check) => {
  const refuse = (path: string[], message: string) =>
    check.addIssue({ code: 'custom', path, message });
  const refuseLogin = (path: string[], name: string, protocol: AgentDefinition['protocol']) => {
    const facts = isKnownAgent(name) ? factsOfAgent(name) : undefined;
    if (facts?.login === undefined) refuse(path, `is only for ${AGENTS_WITH_LOGIN.join(', ')}`);
    else if ((protocol ?? facts.protocol) !== 'headless')
      refuse(path, 'needs "protocol: headless"');
  };
  for (const [name, { command, protocol, auth }] of Object.entries(agents)) {
    const isKnown = isKnownAgent(name);
    if (!isKnown && command === undefined) refuse([name, 'command'], 'is missing');
    if (!isKnown && protocol === undefined) refuse([name, 'protocol'], 'is missing: acp or stdin');
    if (!isKnown && protocol === 'headless')
      refuse([name, 'protocol'], `"headless" is for ${KNOWN_AGENTS.join(', ')}; use acp or stdin`);
    if (isKnown && protocol === 'stdin' && command === undefined)
      refuse([name, 'protocol'], '"stdin" needs a command; without one, use acp or headless');
    if (auth !== undefined) refuseLogin([name, 'auth'], name, protocol);
  }
});

/** What a person allows in one project. */
const ProjectRights = z
  .strictObject({
    /** Commands over files that agents changed run as the person does. */
    commands: z.literal('host'),
    /** Files that git ignores and the work on a branch needs, as paths in the project. */
    worktreeCopy: z.array(text.max(1000)).max(100),
    /** What the built-in agent may run besides the commands of its stream. */
    agentCommands: z.array(text.max(10_000)).max(100),
  })
  .partial();

const Forge = z.strictObject({
  kind: z.enum(['github', 'gitlab']),
  /** The address of its API. */
  api: z.url({ protocol: /^https?$/ }).optional(),
});

const UserFile = z
  .strictObject({
    ...Profile.shape,
    profile: text,
    profiles: z.record(z.string(), Profile),
    /** Commands of every manifest run in the sandbox. */
    sandboxCommands: z.boolean(),
    agents: Agents,
    /** Of a stream of an agent, where neither it nor the run has a limit. */
    agentMaxCostUsd: z.number().positive().max(1_000_000),
    /** Hosts of repositories whose name does not say what they are. */
    forges: z.record(z.string().min(1), Forge),
    /** By the real path of each. */
    projects: z.record(z.string(), ProjectRights),
    /** Servers that the settings of a project may name: they get the user's key. */
    trustedServers: z.array(text),
  })
  .partial();
const SignIn = z.strictObject({ token: text, email: text });
const CredentialsFile = z.strictObject({
  profiles: z.record(z.string(), z.strictObject({ apiKey: text })).default({}),
  /** What `login` has stored, by the address of the server. */
  servers: z.record(z.string(), SignIn).default({}),
  /** The server of the latest sign-in. */
  currentServer: text.optional(),
});
export type SignIn = z.infer<typeof SignIn>;
export type Credentials = z.infer<typeof CredentialsFile>;

export interface SettingsFile<T> {
  path: string;
  values: T;
}

const SECRET_NAME = /key|token|secret|password/i;
const MAX_BYTES = 1_000_000;

function wrong(path: string, why: string): ConfigError {
  return new ConfigError([`${path}: ${why}`]);
}

function readText(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > MAX_BYTES) throw wrong(path, 'is not a settings file');
  return readFileSync(path, 'utf8');
}

function parseYaml(path: string, source: string): unknown {
  if (source.split('\n').every((line) => /^\s*(#|$)/.test(line))) return {};
  try {
    return load(source, { schema: CORE_SCHEMA, maxDepth: 16, maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw wrong(path, `is not valid YAML: ${error.message.split('\n')[0]}`);
  }
}

/** Names the file and the key; never a value, which may be a secret in the wrong place. */
function check<T>(path: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const place = issue.path.join('.');
    if (issue.code === 'invalid_key') {
      return `${path}: ${place}: ${issue.issues[0]?.message ?? issue.message}`;
    }
    if (issue.code !== 'unrecognized_keys')
      return `${path}: ${place || 'the file'}: ${issue.message}`;
    const names = issue.keys.map((key) => `"${place === '' ? key : `${place}.${key}`}"`).join(', ');
    return `${path}: unknown key ${names}`;
  });
  throw new ConfigError(problems);
}

export function findProjectFile(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.millrace', 'config.yaml');
    if (existsSync(path) && isNear(path, folder)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/** Where several people use a machine, one must not choose settings for what others do below it. */
function isNear(path: string, folder: string): boolean {
  const owner = statSync(path).uid;
  return [process.getuid?.() ?? owner, statSync(folder).uid, 0].includes(owner);
}

/** The file comes with the project: a link in its place could lead anywhere. */
function refuseLinks(path: string): void {
  for (const each of [dirname(path), path]) {
    if (lstatSync(each).isSymbolicLink()) {
      throw wrong(each, 'is a symbolic link. Project settings must be a plain file in the project');
    }
  }
}

export function readProjectFile(
  folder: string,
): SettingsFile<z.infer<typeof ProjectFile>> | undefined {
  const path = findProjectFile(folder);
  if (path === undefined) return undefined;
  refuseLinks(path);
  const source = readText(path);
  if (source === undefined) return undefined;
  const value = parseYaml(path, source);
  const secret = Object.keys(Object(value) as object).find((name) => SECRET_NAME.test(name));
  if (secret !== undefined) {
    throw wrong(
      path,
      `"${secret}": keys are not allowed in this file; it can end up in version control. ` +
        'Remove it, and set MILLRACE_API_KEY or use credentials.json in your settings folder.',
    );
  }
  return { path, values: check(path, ProjectFile, value) };
}

export function userFolder(env: NodeJS.ProcessEnv): string {
  const own = env['MILLRACE_CONFIG_DIR'];
  if (own) return own;
  const xdg = env['XDG_CONFIG_HOME'];
  const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.config');
  return join(base, 'millrace');
}

export function readUserFile(
  env: NodeJS.ProcessEnv,
): SettingsFile<z.infer<typeof UserFile>> | undefined {
  const path = userFilePath(env);
  const source = readText(path);
  if (source === undefined) return undefined;
  return { path, values: checkUserFile(path, source) };
}

export const userFilePath = (env: NodeJS.ProcessEnv): string =>
  join(userFolder(env), 'config.yaml');

/** Throws what is wrong with it. */
export function checkUserFile(path: string, source: string): z.infer<typeof UserFile> {
  return check(path, UserFile, parseYaml(path, source));
}

export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(userFolder(env), 'credentials.json');
}

export function readCredentials(env: NodeJS.ProcessEnv): SettingsFile<Credentials> | undefined {
  const path = credentialsPath(env);
  const source = readText(path);
  if (source === undefined) return undefined;
  const othersMayRead = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
  if (othersMayRead) throw wrong(path, `other users can read your keys. Run: chmod 600 '${path}'`);
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    // The parser's own message quotes the text around the mistake.
    throw wrong(path, 'is not valid JSON');
  }
  return { path, values: check(path, CredentialsFile, value) };
}
