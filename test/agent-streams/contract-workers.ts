// All who can work on a stream, and how a model makes each of them write a file: Millrace's own, an agent of ours by each
// way that agents are spoken to, and the installed ones, which are large and change every week: they are tried where
// MILLRACE_AGENTS names folders with a node_modules (several as in PATH), and nowhere else.
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { factsOfAgent } from '../../src/agents/known/known-agents.ts';
import type { KnownAgent, KnownProtocol } from '../../src/agents/known/known-agents.ts';
import type { Turn } from '../agents/speech.ts';
import { edits, whole } from '../orchestrator/scripted-projects.ts';
import { fromRoot } from '../pins/tree.ts';

const FOLDERS = (process.env['MILLRACE_AGENTS'] ?? '').split(delimiter).filter(Boolean);
/** Of the installed ones. */
export const BINS: readonly string[] = FOLDERS.map((folder) => join(folder, 'node_modules/.bin'));
if (FOLDERS.length === 0) {
  console.log('MILLRACE_AGENTS names no folder with agents: runs of installed ones are skipped');
}

interface File {
  /** Below the project, and absolute. */
  path: string;
  file: string;
  text: string;
}

export interface ContractWorker {
  title: string;
  /** As the manifest names it. */
  agent: string;
  model: string;
  /** Whether a second attempt is the same conversation: what may be said of it. */
  continues?: readonly (readonly boolean[])[];
  /** Of the agent, that the model calls. */
  tool?: string;
  turns(file: File): Turn[];
  /** Settings of the person; a program of ours is put into this folder, which is on the PATH. */
  settings?(bin: string): string;
}

const CLAUDE = 'claude-sonnet-4-5';
const CONTINUES = [[true]] as const;

const byTool = (tool: string, args: (file: File) => object) => ({
  tool,
  turns: (file: File): Turn[] => [
    { text: `I write ${file.path}.`, call: { name: tool, args: args(file) } },
    { text: `Wrote ${file.path}.` },
  ],
});

/** Quotes are in none of the texts. */
const byShell = ({ file, text }: File) => `printf '${text.replaceAll('\n', '\\n')}' > ${file}`;

function scripted(bin: string, name: string): string {
  const file = join(bin, name);
  copyFileSync(fromRoot('test/agent-streams/model-agent.mjs'), file);
  chmodSync(file, 0o755);
  return file;
}

const own = (protocol: 'acp' | 'stdin'): ContractWorker => ({
  title: `an agent of the person by ${protocol}`,
  agent: 'mine',
  model: CLAUDE,
  ...(protocol === 'acp' && { continues: CONTINUES }),
  ...byTool('write', ({ path, text }) => ({ path, content: text })),
  settings: (bin) =>
    `agents: {mine: {command: [${scripted(bin, 'mine.mjs')}, ${protocol}, ${CLAUDE}], protocol: ${protocol}}}\n`,
});

const OURS: readonly ContractWorker[] = [
  {
    title: 'answers',
    agent: 'answer',
    model: CLAUDE,
    turns: ({ path, text }) => [{ text: edits(whole(path, text, 'create')) }],
  },
  {
    title: 'the built-in agent',
    agent: 'loop',
    model: CLAUDE,
    tool: 'write',
    turns: ({ path, text }) => [
      { text: 'I write.', call: { name: 'write', args: { path, content: text } } },
      { text: '', call: { name: 'done', args: { summary: `Wrote ${path}.` } } },
    ],
  },
  own('acp'),
  own('stdin'),
  {
    title: 'an agent that prints as Claude Code does',
    agent: 'claude',
    model: CLAUDE,
    continues: CONTINUES,
    ...byTool('write', ({ path, text }) => ({ path, content: text })),
    settings: (bin) => {
      scripted(bin, 'claude');
      return 'agents: {claude: {protocol: headless}}\n';
    },
  },
];

type Playing = Pick<ContractWorker, 'model' | 'tool' | 'turns'>;

const INSTALLED: Readonly<Record<KnownAgent, Playing & { headless?: Partial<Playing> }>> = {
  claude: {
    model: CLAUDE,
    ...byTool('Bash', (file) => ({ command: byShell(file), description: 'Write' })),
  },
  codex: { model: 'gpt-5-codex', ...byTool('exec_command', (file) => ({ cmd: byShell(file) })) },
  gemini: {
    model: 'gemini-2.5-flash',
    ...byTool('write_file', ({ file, text }) => ({ file_path: file, content: text })),
    // Where it cannot ask, what its shell may do is a matter of our policy.
    headless: byTool('run_shell_command', (file) => ({ command: byShell(file) })),
  },
  opencode: {
    model: CLAUDE,
    ...byTool('write', ({ file, text }) => ({ filePath: file, content: text })),
  },
};

function installed(agent: KnownAgent, protocol: KnownProtocol): ContractWorker[] {
  const { names } = factsOfAgent(agent).programs[protocol];
  if (!names.some((name) => BINS.some((bin) => existsSync(join(bin, name))))) {
    if (FOLDERS.length > 0) console.log(`${names[0]} is not installed: skipped`);
    return [];
  }
  const settings = () => `agents: {${agent}: {protocol: ${protocol}}}\n`;
  const { headless, ...playing } = INSTALLED[agent];
  const own = protocol === 'headless' ? headless : {};
  // Loading a session, it overwrites one that it began in the same minute.
  const canFail = agent === 'gemini' && protocol === 'acp' ? [[true, false]] : [];
  const continues = [...CONTINUES, ...canFail];
  const about = { title: `${agent} by ${protocol}`, agent, continues };
  return [{ ...about, ...playing, ...own, settings }];
}

export const WORKERS: readonly ContractWorker[] = [
  ...OURS,
  ...(Object.keys(INSTALLED) as KnownAgent[]).flatMap((agent) =>
    (['headless', 'acp'] as const).flatMap((protocol) => installed(agent, protocol)),
  ),
];
