// Command-line agents, set up as docs/model-endpoint.md says. They are large and change every week, so they are tried where
// they are installed and nowhere else. Each has an empty environment and a home of its own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicProvider } from '../../src/domain/model/model-routing.ts';
import { makeFolder } from '../../src/platform/make-folder.ts';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { fromRoot } from '../pins/tree.ts';

const MODULES = fileURLToPath(new URL('node_modules/', import.meta.url));
export const areInstalled = existsSync(join(MODULES, '.bin', 'claude'));
if (!areInstalled) {
  console.log(
    'No agents found: their tests are skipped (node scripts/install-clients.ts agents installs them)',
  );
}

export interface Agent {
  command: string;
  provider: PublicProvider;
  /** Of that vendor, with a price. */
  model: string;
  /** The call of a tool of its own that writes a file. */
  writes(path: string, text: string): { name: string; args: object };
  args(prompt: string): string[];
  /** Where arguments would be changed. */
  readsPrompt?: boolean;
  /** In its home folder, as the page has it. */
  file?: string;
}

export const AGENTS: Readonly<Record<string, Agent>> = {
  'Claude Code': {
    command: 'claude',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    writes: (path, text) => ({ name: 'Write', args: { file_path: path, content: text } }),
    args: (prompt) => ['--print', prompt, '--allowedTools', 'Write'],
  },
  Codex: {
    command: 'codex',
    provider: 'openai',
    model: 'gpt-5-codex',
    writes: (path, text) => ({
      name: 'exec_command',
      args: { cmd: `printf '${text}' > ${path}` },
    }),
    args: (prompt) => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', prompt],
    file: '.codex/config.toml',
  },
  'Gemini CLI': {
    command: 'gemini',
    provider: 'google',
    model: 'gemini-2.5-flash',
    writes: (path, text) => ({ name: 'write_file', args: { file_path: path, content: text } }),
    args: (prompt) => ['--yolo', '--skip-trust', '-p', prompt],
    file: '.gemini/settings.json',
  },
  opencode: {
    command: 'opencode',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    writes: (path, text) => ({ name: 'write', args: { filePath: path, content: text } }),
    args: () => ['run'],
    readsPrompt: true,
    file: '.config/opencode/opencode.json',
  },
};

const PAGE = 'docs/model-endpoint.md';
const blocks = codeBlocksOf(PAGE, readFileSync(fromRoot(PAGE), 'utf8'));

/** Of lines `export NAME="value"`. */
function exported(script: string, key: string): Record<string, string> {
  const lines = [...script.matchAll(/^export (\w+)="([^"]*)"$/gm)];
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name, value.replace('$MILLRACE_API_KEY', key)]),
  );
}

export interface Setting {
  /** Up to and with `/model`. */
  endpoint: string;
  key: string;
  /** Instead of the simulated one of the page. */
  model?: string;
}

/** A home and a folder to work in, with what the page says for this server. */
export function settle(
  name: string,
  home: string,
  { endpoint, key, model = 'sim-fast' }: Setting,
): { cwd: string; env: Record<string, string> } {
  const said = (label: string) =>
    blocks
      .find((block) => block.label === label)
      ?.text.replaceAll('http://127.0.0.1:4747/model', endpoint)
      .replaceAll('sim-fast', model) ?? '';
  const { file } = AGENTS[name]!;
  const cwd = join(home, 'work');
  makeFolder(cwd);
  if (file !== undefined) {
    makeFolder(dirname(join(home, file)));
    writeFileSync(join(home, file), said(`~/${file}`));
  }
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    MILLRACE_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ...exported(said(name), key),
  };
  return { cwd, env };
}

export interface RunningAgent {
  child: ChildProcess;
  output(): string;
  ended: Promise<void>;
}

/** In a process group of its own, as a shell starts it. */
export function startAgent(
  agent: Agent,
  prompt: string,
  where: { cwd: string; env: Record<string, string> },
): RunningAgent {
  const path = join(MODULES, '.bin', agent.command);
  const child = spawn(path, agent.args(prompt), { ...where, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  child.stdin.end(agent.readsPrompt === true ? prompt : '');
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return { child, output: () => output, ended };
}
