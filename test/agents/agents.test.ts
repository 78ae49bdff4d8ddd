// Command-line agents, set up as docs/model-endpoint.md says: each writes a file with a tool of its own.
// They are large and change every week, so they are tried where they are installed and nowhere else.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../src/platform/make-folder.ts';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { fromRoot } from '../pins/tree.ts';
import { useServer } from '../support/use-server.ts';

const MODULES = fileURLToPath(new URL('node_modules/', import.meta.url));
const areInstalled = existsSync(join(MODULES, '.bin', 'claude'));
if (!areInstalled) {
  console.log(
    'No agents found: their tests are skipped (node scripts/install-clients.ts agents installs them)',
  );
}

interface Agent {
  command: string;
  /** Writes a file at this path with this text. */
  call(path: string): string;
  args(prompt: string): string[];
  /** Where arguments would be changed. */
  readsPrompt?: boolean;
  /** In its home folder, as the page has it. */
  file?: string;
}

const TEXT = 'written by an agent';
const json = (value: unknown) => JSON.stringify(value);

const AGENTS: Readonly<Record<string, Agent>> = {
  'Claude Code': {
    command: 'claude',
    call: (path) => `Write ${json({ file_path: path, content: TEXT })}`,
    args: (prompt) => ['--print', prompt, '--allowedTools', 'Write'],
  },
  Codex: {
    command: 'codex',
    call: (path) => `exec_command ${json({ cmd: `printf '${TEXT}' > ${path}` })}`,
    args: (prompt) => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', prompt],
    file: '.codex/config.toml',
  },
  'Gemini CLI': {
    command: 'gemini',
    call: (path) => `write_file ${json({ file_path: path, content: TEXT })}`,
    args: (prompt) => ['--yolo', '--skip-trust', '-p', prompt],
    file: '.gemini/settings.json',
  },
  opencode: {
    command: 'opencode',
    call: (path) => `write ${json({ filePath: path, content: TEXT })}`,
    args: () => ['run'],
    readsPrompt: true,
    file: '.config/opencode/opencode.json',
  },
};

const PAGE = 'docs/model-endpoint.md';
const blocks = codeBlocksOf(PAGE, readFileSync(fromRoot(PAGE), 'utf8'));
/** What the page says, for this server. */
const said = (label: string, endpoint: string) =>
  blocks
    .find((block) => block.label === label)
    ?.text.replaceAll('http://127.0.0.1:4747/model', endpoint);

/** Of lines `export NAME="value"`. */
function exported(script: string, key: string): Record<string, string> {
  const lines = [...script.matchAll(/^export (\w+)="([^"]*)"$/gm)];
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name, value.replace('$MILLRACE_API_KEY', key)]),
  );
}

async function run(
  agent: Agent,
  prompt: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const child = spawn(join(MODULES, '.bin', agent.command), agent.args(prompt), { cwd, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  child.stdin.end(agent.readsPrompt === true ? prompt : '');
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

describe.skipIf(!areInstalled)('agents', () => {
  const server = useServer({ simulator: true });
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-agents-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  test.each(Object.entries(AGENTS))(
    '%s works with nothing but an address and a key',
    async (name, agent) => {
      const { key } = await server().createKey({ scopes: ['models', 'jobs'] });
      const endpoint = `${server().url}/model`;
      const home = join(folder, agent.command);
      const work = join(home, 'work');
      makeFolder(work);
      if (agent.file !== undefined) {
        const file = join(home, agent.file);
        makeFolder(dirname(file));
        writeFileSync(file, said(`~/${agent.file}`, endpoint) ?? '');
      }
      const path = join(work, 'a.txt');
      const prompt = `Write a file. [[sim:call ${agent.call(path)}]] [[sim:echo all done]]`;
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        MILLRACE_API_KEY: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ...exported(said(name, endpoint) ?? '', key),
      };
      const output = await run(agent, prompt, { cwd: work, env });
      expect(existsSync(path), `${name} said:\n${output}`).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe(TEXT);
      expect(output).toContain('all done');
      const { body } = await server().call('GET', '/api/v1/jobs?limit=100', { key });
      const calls = body['items'] as { kind: string; status: string; model: string }[];
      expect(calls.length).toBeGreaterThanOrEqual(2);
      expect(new Set(calls.map(({ kind, model }) => `${kind} ${model}`))).toEqual(
        new Set(['call sim-fast']),
      );
    },
  );
});
