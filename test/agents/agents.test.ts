// Command-line agents as people run them, with the model endpoint for a vendor: each writes a file with a tool of its own.
// They are large and change every week, so they are tried where they are installed and nowhere else.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../src/platform/make-folder.ts';
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
  env(endpoint: string, key: string): Record<string, string>;
  /** By their paths below the home folder. */
  files?(endpoint: string): Record<string, string>;
}

const TEXT = 'written by an agent';
const json = (value: unknown) => JSON.stringify(value);

const AGENTS: Readonly<Record<string, Agent>> = {
  'Claude Code': {
    command: 'claude',
    call: (path) => `Write ${json({ file_path: path, content: TEXT })}`,
    args: (prompt) => ['--print', prompt, '--allowedTools', 'Write'],
    env: (endpoint, key) => ({
      ANTHROPIC_BASE_URL: `${endpoint}/anthropic`,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: 'sim-instant',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'sim-instant',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  Codex: {
    command: 'codex',
    call: (path) => `exec_command ${json({ cmd: `printf '${TEXT}' > ${path}` })}`,
    args: (prompt) => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', prompt],
    env: (_, key) => ({ MILLRACE_API_KEY: key }),
    files: (endpoint) => ({
      '.codex/config.toml': `model = "sim-instant"
model_provider = "millrace"

[model_providers.millrace]
name = "Millrace"
base_url = "${endpoint}/openai/v1"
env_key = "MILLRACE_API_KEY"
wire_api = "responses"
`,
    }),
  },
  'Gemini CLI': {
    command: 'gemini',
    call: (path) => `write_file ${json({ file_path: path, content: TEXT })}`,
    args: (prompt) => ['-m', 'sim-instant', '--yolo', '--skip-trust', '-p', prompt],
    env: (endpoint, key) => ({ GOOGLE_GEMINI_BASE_URL: `${endpoint}/google`, GEMINI_API_KEY: key }),
    files: () => ({
      '.gemini/settings.json': json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
  },
  opencode: {
    command: 'opencode',
    call: (path) => `write ${json({ filePath: path, content: TEXT })}`,
    args: () => ['run'],
    readsPrompt: true,
    env: (_, key) => ({ MILLRACE_API_KEY: key }),
    files: (endpoint) => ({
      '.config/opencode/opencode.json': json({
        $schema: 'https://opencode.ai/config.json',
        provider: {
          anthropic: {
            options: { baseURL: `${endpoint}/anthropic/v1`, apiKey: '{env:MILLRACE_API_KEY}' },
            models: { 'sim-instant': {} },
          },
        },
        model: 'anthropic/sim-instant',
        small_model: 'anthropic/sim-instant',
      }),
    }),
  },
};

async function run(
  agent: Agent,
  prompt: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const child = spawn(join(MODULES, '.bin', agent.command), agent.args(prompt), { cwd, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  }
  child.stdin.end(agent.readsPrompt === true ? prompt : '');
  await new Promise((resolve) => child.on('close', resolve));
  return said;
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
      for (const [path, text] of Object.entries(agent.files?.(endpoint) ?? {})) {
        makeFolder(join(home, path, '..'));
        writeFileSync(join(home, path), text);
      }
      const path = join(work, 'a.txt');
      const prompt = `Write a file. [[sim:call ${agent.call(path)}]] [[sim:echo all done]]`;
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...agent.env(endpoint, key) };
      const said = await run(agent, prompt, { cwd: work, env });
      expect(existsSync(path), `${name} said:\n${said}`).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe(TEXT);
      expect(said).toContain('all done');
      const { body } = await server().call('GET', '/api/v1/jobs?limit=100', { key });
      const calls = body['items'] as { kind: string; status: string; model: string }[];
      expect(calls.length).toBeGreaterThanOrEqual(2);
      expect(new Set(calls.map(({ kind, model }) => `${kind} ${model}`))).toEqual(
        new Set(['call sim-instant']),
      );
    },
  );
});
