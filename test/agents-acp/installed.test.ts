// Agents as they are installed, through `millrace run`, each by every protocol that it has. They are large and change every
// week, so they are tried where MILLRACE_AGENTS names folders with a node_modules (several as in PATH), and nowhere else.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KnownAgent } from '../../src/agents/known/known-agents.ts';
import { factsOfAgent } from '../../src/agents/known/known-agents.ts';
import { startScriptedVendor } from '../agents/scripted-vendor.ts';
import type { ScriptedVendor } from '../agents/scripted-vendor.ts';
import { runCli } from '../support/cli.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

const FOLDERS = (process.env['MILLRACE_AGENTS'] ?? '').split(delimiter).filter(Boolean);
const BINS = FOLDERS.map((folder) => join(folder, 'node_modules', '.bin'));
if (FOLDERS.length === 0) {
  console.log('MILLRACE_AGENTS names no folder with agents: runs of installed ones are skipped');
}

interface Tried {
  model: string;
  /** Of its tools, the one that the model calls. */
  tool: string;
  writes(path: string): object;
}

const AGENTS: Readonly<Record<KnownAgent, Tried>> = {
  claude: {
    model: 'claude-sonnet-4-5',
    tool: 'Bash',
    writes: (path) => ({ command: `echo ok > ${path}`, description: 'Write' }),
  },
  codex: {
    model: 'gpt-5-codex',
    tool: 'exec_command',
    writes: (path) => ({ cmd: `echo ok > ${path}` }),
  },
  gemini: {
    model: 'gemini-2.5-flash',
    tool: 'write_file',
    writes: (path) => ({ file_path: path, content: 'ok\n' }),
  },
  opencode: {
    model: 'claude-sonnet-4-5',
    tool: 'write',
    writes: (path) => ({ filePath: path, content: 'ok\n' }),
  },
};

const LOADED = 'CANARY-OF-THE-REPOSITORY';
const skill = `---\nname: canary\ndescription: ${LOADED}\n---\n${LOADED}\n`;
const touch = (name: string) => ({ command: 'touch', args: [`loaded-${name}`] });
const hook = (name: string) => ({ hooks: [{ type: 'command', command: `touch loaded-${name}` }] });
const plugin = (name: string) =>
  `import fs from 'node:fs'; fs.writeFileSync('loaded-${name}', ''); export const X = async () => ({});`;

/** What each of them would load of a repository: it leaves a file that no stream owns, or words for the model. */
const HOSTILE: Readonly<Record<string, string>> = {
  '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [hook('claude')] } }),
  '.claude/skills/canary/SKILL.md': skill,
  '.claude/agents/canary.md': skill,
  '.mcp.json': JSON.stringify({ mcpServers: { x: touch('mcp') } }),
  '.agents/skills/canary/SKILL.md': skill,
  '.codex/skills/canary/SKILL.md': skill,
  '.codex/config.toml': `developer_instructions = "${LOADED}"\n[mcp_servers.x]\ncommand = "touch"\nargs = ["loaded-codex"]\n`,
  '.gemini/settings.json': JSON.stringify({
    mcpServers: { x: touch('gemini') },
    hooks: { SessionStart: [hook('gemini-hook')] },
  }),
  '.gemini/skills/canary/SKILL.md': skill,
  'src/GEMINI.md': LOADED,
  '.opencode/plugin/x.js': plugin('opencode'),
  '.opencode/agent/build.md': `---\ndescription: x\n---\n${LOADED}\n`,
  'opencode.json': JSON.stringify({
    mcp: { x: { type: 'local', command: ['touch', 'loaded-opencode-mcp'] } },
  }),
};

const runs = Object.entries(AGENTS).flatMap(([name, agent]) =>
  (['headless', 'acp'] as const).map((protocol) => ({
    name: name as KnownAgent,
    protocol,
    ...agent,
  })),
);

describe.skipIf(FOLDERS.length === 0)('an installed agent', () => {
  let base: string;
  let vendor: ScriptedVendor;
  let server: TestServer;
  beforeAll(async () => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-installed-')));
    vendor = await startScriptedVendor();
    server = await startTestServer({
      baseUrls: {
        anthropic: `${vendor.url}/v1`,
        openai: `${vendor.url}/v1`,
        google: `${vendor.url}/v1beta`,
      },
      operatorKeys: { anthropic: 'key-a', openai: 'key-o', google: 'key-g' },
    });
  });
  afterAll(async () => {
    await server?.close();
    await vendor?.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 20 });
  });

  it.each(runs)('$name works on two streams by $protocol', { timeout: 240_000 }, async (tried) => {
    const { name, protocol, model, tool, writes } = tried;
    const { names } = factsOfAgent(name).programs[protocol];
    const isThere = names.some((each) => BINS.some((folder) => existsSync(join(folder, each))));
    if (!isThere) return console.log(`${names[0]} is not installed: skipped`);
    const home = join(base, `${name}-${protocol}`);
    const project = join(home, 'project');
    const put = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const [path, text] of Object.entries(HOSTILE)) put(join(project, path), text);
    put(join(home, 'config', 'config.yaml'), `agents: {${name}: {protocol: ${protocol}}}\n`);
    const stream = (word: string) => ({
      name: word,
      owns: [`src/${word}.txt`],
      plan: `Write src/${word}.txt. WORD-${word}.`,
      verify: [`grep -q ok src/${word}.txt`],
      maxCostUsd: 5,
    });
    const streams = { one: stream('one'), two: { ...stream('two'), deps: ['one'] } };
    put(
      join(project, 'millrace.yaml'),
      JSON.stringify({ feature: 'try', agent: name, model, streams }),
    );
    const turns = (word: string) => [
      {
        text: `I write ${word}.`,
        call: { name: tool, args: writes(join(project, `src/${word}.txt`)) },
      },
      { text: `Wrote ${word}.` },
    ];
    vendor.play({ tool, turns: turns('one'), others: { 'WORD-two': turns('two') } });
    const { key } = await server.createKey();
    const ran = await runCli(['-C', project, 'run', '--yes', '--max-attempts', '1', '--json'], {
      HOME: home,
      PATH: [dirname(process.execPath), ...BINS, process.env['PATH']].join(delimiter),
      MILLRACE_CONFIG_DIR: join(home, 'config'),
      MILLRACE_URL: server.url,
      MILLRACE_API_KEY: key,
    });
    expect(ran.code, ran.stderr + ran.stdout).toBe(0);
    for (const word of ['one', 'two']) {
      expect(readFileSync(join(project, `src/${word}.txt`), 'utf8').trim()).toBe('ok');
    }
    expect(ran.stdout + ran.stderr).toContain('Wrote two.');
    expect(ran.stdout + ran.stderr).not.toContain('loaded-');
    const bodies = vendor.raw.calls.map(({ body }) => body.toString());
    expect(bodies.length).toBeGreaterThanOrEqual(4);
    expect(bodies.filter((body) => body.includes(LOADED))).toEqual([]);
    expect(bodies.join()).toContain('WORD-one');
  });
});
