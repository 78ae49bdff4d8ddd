// The entry of a host for the tools that a server offers itself, at /mcp. The key is named, never
// written: each host puts the variable in when it connects.
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import type { Entry } from './edit/config-edit.ts';
import type { HostName } from './hosts.ts';

/** They are about a process on the user's machine, and there is none. */
const LOCAL_FLAGS = {
  workspace: '--workspace',
  apply: '--apply',
  model: '--model',
  profile: '--profile',
  dataDir: '--data-dir',
} as const;

interface Remote {
  url: string;
  headers: Record<string, string>;
}

function withKey({ url, headers }: Remote, reference: string) {
  return { url, headers: { Authorization: `Bearer ${reference}`, ...headers } };
}

const ENTRIES: Readonly<Record<HostName, (remote: Remote) => Entry>> = {
  claude: (remote) => ({ type: 'http', ...withKey(remote, '${MILLRACE_API_KEY}') }),
  cursor: (remote) => withKey(remote, '${env:MILLRACE_API_KEY}'),
  vscode: (remote) => ({ type: 'http', ...withKey(remote, '${env:MILLRACE_API_KEY}') }),
  codex: ({ url, headers }) => ({
    url,
    bearer_token_env_var: 'MILLRACE_API_KEY',
    required: true,
    tool_timeout_sec: 900,
    ...(Object.keys(headers).length === 0 ? {} : { http_headers: headers }),
  }),
  gemini: ({ url, headers }) => ({
    httpUrl: url,
    headers: { Authorization: 'Bearer $MILLRACE_API_KEY', ...headers },
    timeout: 600_000,
  }),
  opencode: (remote) => ({
    type: 'remote',
    ...withKey(remote, '{env:MILLRACE_API_KEY}'),
    oauth: false,
    enabled: true,
  }),
  copilot: (remote) => ({ type: 'http', ...withKey(remote, '${MILLRACE_API_KEY}'), tools: ['*'] }),
};

/** `given` are the settings that were named, checked. */
export function remoteEntry(
  hostName: HostName,
  options: CommandOptions,
  given: Readonly<Record<string, string>>,
): Entry {
  const local = Object.entries(LOCAL_FLAGS).find(([name]) => options[name] !== undefined);
  if (local !== undefined) {
    throw usageError(
      `${local[1]} does not work with --remote: the server does not see your project.`,
      'Leave out one of them.',
    );
  }
  const { MILLRACE_URL: base, MILLRACE_TEAM: team } = given;
  if (base === undefined) {
    throw usageError('--remote needs the server.', 'Name it with --url.');
  }
  const url = `${base.replace(/(?<!\/)\/+$/, '')}/mcp`;
  return ENTRIES[hostName]({ url, headers: team === undefined ? {} : { 'X-Team-Id': team } });
}
