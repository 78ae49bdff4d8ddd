// The assistants, with the files and the words of each. No entry holds a key: it comes from the
// environment or from `millrace login`, which the tools read themselves.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ConfigFormat, Entry } from './edit/config-edit.ts';
import { JSON_FORMAT } from './edit/json-format.ts';
import { TOML_FORMAT } from './edit/toml-format.ts';
import type { Launch } from './launch.ts';

export const SCOPES = ['project', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

export interface EntryInput {
  launch: Launch;
  /** Variables with the values that the user gave, such as MILLRACE_URL. */
  given: Readonly<Record<string, string>>;
  env: NodeJS.ProcessEnv;
}

export interface Host {
  label: string;
  defaultScope: Scope;
  format: ConfigFormat;
  /** The object or table that holds the servers. */
  container: string;
  /** Relative to the project's root. */
  projectFile: string;
  userFile(env: NodeJS.ProcessEnv): string;
  entry(input: EntryInput): Entry;
  /** What to do after an installation. */
  next: string;
}

/** What a host hands on from its own environment. */
const PASSED_ON = ['MILLRACE_API_KEY', 'MILLRACE_URL'] as const;

function folderFrom(variable: string | undefined, fallback: string): string {
  return variable !== undefined && isAbsolute(variable) ? variable : fallback;
}

function withEnv(values: Readonly<Record<string, string>>): { env?: Record<string, string> } {
  return Object.keys(values).length === 0 ? {} : { env: { ...values } };
}

function references(names: readonly string[], write: (name: string) => string) {
  return Object.fromEntries(names.map((name) => [name, write(name)]));
}

/** References to what is in use: there is no way to write a default in these files. */
const inUse = (env: NodeJS.ProcessEnv, write: (name: string) => string) =>
  references(
    PASSED_ON.filter((name) => env[name]),
    write,
  );

const claude: Host = {
  label: 'Claude Code',
  defaultScope: 'project',
  format: JSON_FORMAT,
  container: 'mcpServers',
  projectFile: '.mcp.json',
  userFile: (env) => join(folderFrom(env['CLAUDE_CONFIG_DIR'], homedir()), '.claude.json'),
  // With a default: a variable that is not set would be passed on as it is written here.
  entry: ({ launch, given }) => ({
    type: 'stdio',
    ...launch,
    env: { ...references(PASSED_ON, (name) => `\${${name}:-}`), ...given },
  }),
  next: 'Start Claude Code again and approve the server. /mcp shows it.',
};

const cursor: Host = {
  label: 'Cursor',
  defaultScope: 'project',
  format: JSON_FORMAT,
  container: 'mcpServers',
  projectFile: '.cursor/mcp.json',
  userFile: () => join(homedir(), '.cursor', 'mcp.json'),
  entry: ({ launch, given, env }) => ({
    ...launch,
    env: {
      MILLRACE_WORKSPACE: '${workspaceFolder}',
      ...inUse(env, (name) => `\${env:${name}}`),
      ...given,
    },
  }),
  next: 'Open the settings of Cursor and turn the server on under MCP.',
};

function codeFolder(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return folderFrom(env['XDG_CONFIG_HOME'], join(homedir(), '.config'));
}

const vscode: Host = {
  label: 'VS Code',
  defaultScope: 'project',
  format: JSON_FORMAT,
  container: 'servers',
  projectFile: '.vscode/mcp.json',
  userFile: (env) => join(codeFolder(env), 'Code', 'User', 'mcp.json'),
  // It hands its whole environment on.
  entry: ({ launch, given }) => ({
    type: 'stdio',
    ...launch,
    env: { MILLRACE_WORKSPACE: '${workspaceFolder}', ...given },
  }),
  next: 'Run "MCP: List Servers" in VS Code, start the server and trust it.',
};

const codex: Host = {
  label: 'Codex',
  defaultScope: 'user',
  format: TOML_FORMAT,
  container: 'mcp_servers',
  projectFile: '.codex/config.toml',
  userFile: (env) => join(folderFrom(env['CODEX_HOME'], join(homedir(), '.codex')), 'config.toml'),
  entry: ({ launch, given }) => ({
    ...launch,
    env_vars: PASSED_ON.filter((name) => !(name in given)),
    // Otherwise `codex exec` starts without the tools when they need more than a second.
    required: true,
    startup_timeout_sec: 30,
    tool_timeout_sec: 900,
    ...withEnv(given),
  }),
  next: 'Start Codex again. /mcp shows the server.',
};

const gemini: Host = {
  label: 'Gemini CLI',
  defaultScope: 'project',
  format: JSON_FORMAT,
  container: 'mcpServers',
  projectFile: '.gemini/settings.json',
  userFile: () => join(homedir(), '.gemini', 'settings.json'),
  entry: ({ launch, given, env }) => ({
    ...launch,
    ...withEnv({ ...inUse(env, (name) => `$${name}`), ...given }),
    timeout: 600_000,
  }),
  next: 'Start Gemini CLI again in a folder that you trust. /mcp shows the server.',
};

const opencode: Host = {
  label: 'opencode',
  defaultScope: 'project',
  format: JSON_FORMAT,
  container: 'mcp',
  projectFile: 'opencode.json',
  userFile: (env) =>
    join(
      folderFrom(env['XDG_CONFIG_HOME'], join(homedir(), '.config')),
      'opencode',
      'opencode.json',
    ),
  // It hands its whole environment on.
  entry: ({ launch, given }) => ({
    type: 'local',
    command: [launch.command, ...launch.args],
    ...(Object.keys(given).length === 0 ? {} : { environment: { ...given } }),
    enabled: true,
    // Of the start: five seconds are not enough for a download.
    timeout: 30_000,
  }),
  next: 'Start opencode again. `opencode mcp list` shows the server.',
};

const copilot: Host = {
  label: 'Copilot CLI',
  defaultScope: 'user',
  format: JSON_FORMAT,
  container: 'mcpServers',
  projectFile: '.github/mcp.json',
  userFile: (env) =>
    join(folderFrom(env['COPILOT_HOME'], join(homedir(), '.copilot')), 'mcp-config.json'),
  entry: ({ launch, given, env }) => ({
    type: 'local',
    ...launch,
    env: { ...inUse(env, (name) => `\${${name}}`), ...given },
    tools: ['*'],
  }),
  next: 'Start Copilot CLI again. `copilot mcp list` shows the server.',
};

export const HOSTS = { claude, cursor, vscode, codex, gemini, opencode, copilot } as const;
export type HostName = keyof typeof HOSTS;
export const HOST_NAMES = Object.keys(HOSTS) as HostName[];
