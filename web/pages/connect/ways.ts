// Ways to connect, each with its snippets filled in for this server.
import { INSTALLED, suggestCommand } from '../../../src/domain/command/suggested-command.ts';
import { command, localLaunch } from '../../ui/command.ts';
import type { Snippet } from '../../ui/snippets.tsx';

export interface Way {
  id: string;
  label: string;
  /** What follows from it, in a sentence. */
  lead: string;
  steps: readonly Snippet[];
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

const SDK = (origin: string) => `import { MillraceClient } from 'millrace/client';

const client = new MillraceClient('${origin}', process.env.MILLRACE_API_KEY!);
const { jobId } = await client.execute({
  streamId: 'hello',
  prompt: 'Say hello',
  model: 'sim-fast',
  maxTokens: 200,
});
console.log(await client.getJob(jobId, { waitSeconds: 60 }));`;

const CI = (origin: string) => `name: millrace
on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      # Made in a clone of Millrace with npm pack, and kept in your repository.
      - run: npm install --global ./tools/millrace-*.tgz
      - run: ${suggestCommand(INSTALLED, 'run', 'millrace.yaml', '--yes')}
        env:
          MILLRACE_URL: ${origin}
          MILLRACE_API_KEY: \${{ secrets.MILLRACE_API_KEY }}`;

const CURL = (origin: string) => `curl -X POST ${origin}/api/v1/execute \\
  -H "X-API-Key: $MILLRACE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"streamId":"hello","prompt":"Say hello","model":"sim-fast","maxTokens":200}'`;

/** As the reader has it: the script of the checkout that this server runs from, or the installed command. */
const { program, flags } = localLaunch ?? INSTALLED;
const START = { command: program, args: [...flags, 'mcp'] };
const FROM_SHELL = {
  ...START,
  env: { MILLRACE_API_KEY: '${MILLRACE_API_KEY:-}', MILLRACE_URL: '${MILLRACE_URL:-}' },
};
const IN_FOLDER = { ...START, env: { MILLRACE_WORKSPACE: '${workspaceFolder}' } };

/** What `millrace mcp install` writes, for those who write it themselves. */
const ENTRIES: Readonly<Record<string, Snippet>> = {
  claude: {
    label: 'Or write .mcp.json yourself',
    text: json({ mcpServers: { millrace: { type: 'stdio', ...FROM_SHELL } } }),
  },
  cursor: {
    label: 'Or write .cursor/mcp.json yourself',
    text: json({ mcpServers: { millrace: IN_FOLDER } }),
  },
  vscode: {
    label: 'Or write .vscode/mcp.json yourself',
    text: json({ servers: { millrace: { type: 'stdio', ...IN_FOLDER } } }),
  },
  codex: {
    label: 'Or write ~/.codex/config.toml yourself',
    text: `[mcp_servers.millrace]
command = ${JSON.stringify(START.command)}
args = ${JSON.stringify(START.args)}
env_vars = ["MILLRACE_API_KEY", "MILLRACE_URL"]
required = true
startup_timeout_sec = 30
tool_timeout_sec = 900`,
  },
};

/** At the machine of the server, commands act as its owner; elsewhere one installs them and signs in. */
const GET_READY: readonly Snippet[] =
  localLaunch === undefined
    ? [
        {
          label: 'Install the command, in a clone of Millrace',
          text: 'npm pack && npm install --global ./millrace-*.tgz',
        },
        { label: 'Sign in', text: command('login') },
      ]
    : [];

function assistant(id: string, label: string): Way {
  return {
    id,
    label,
    lead: `Run this in your project. ${label} then starts the tools by itself; ask it to use Millrace for a task.`,
    steps: [
      ...GET_READY,
      {
        label: 'Add the tools',
        text: suggestCommand(localLaunch ?? INSTALLED, 'mcp', 'install', id),
      },
      ...(ENTRIES[id] ? [ENTRIES[id]] : []),
    ],
  };
}

export function waysFor(origin: string): Way[] {
  const remote = {
    type: 'http',
    url: `${origin}/mcp`,
    headers: { Authorization: 'Bearer ${MILLRACE_API_KEY}' },
  };
  return [
    assistant('claude', 'Claude Code'),
    assistant('cursor', 'Cursor'),
    assistant('vscode', 'VS Code'),
    assistant('codex', 'Codex'),
    assistant('gemini', 'Gemini CLI'),
    assistant('opencode', 'opencode'),
    assistant('copilot', 'Copilot CLI'),
    {
      id: 'mcp',
      label: 'Remote /mcp',
      lead: 'For assistants that speak MCP over HTTP, without anything installed. The server cannot see your files.',
      steps: [
        {
          label: 'Claude Code',
          text: `claude mcp add --transport http millrace ${origin}/mcp --header "Authorization: Bearer $MILLRACE_API_KEY"`,
        },
        { label: '.mcp.json', text: json({ mcpServers: { millrace: remote } }) },
      ],
    },
    {
      id: 'sdk',
      label: 'SDK',
      lead: 'A typed client for Node and browsers, without dependencies.',
      steps: [
        {
          label: 'Install, after `npm pack` in a clone of Millrace',
          text: 'npm install ./millrace-*.tgz',
        },
        { label: 'First call', text: SDK(origin) },
      ],
    },
    {
      id: 'curl',
      label: 'curl',
      lead: 'One request starts a job; the answer says where to look for it.',
      steps: [{ label: 'First call', text: CURL(origin) }],
    },
    {
      id: 'ci',
      label: 'CI',
      lead: 'Add the key as the secret MILLRACE_API_KEY of your repository.',
      steps: [{ label: '.github/workflows/millrace.yaml', text: CI(origin) }],
    },
  ];
}
