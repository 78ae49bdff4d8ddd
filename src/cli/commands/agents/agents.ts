// millrace agents: who can work on streams here, and whether it does.
import { KNOWN_AGENTS, factsOfAgent, isKnownAgent } from '../../../agents/known/known-agents.ts';
import { ANSWER, LOOP } from '../../../manifest/model.ts';
import type { CommandOptions } from '../../command.ts';
import type { Resource } from '../../resource.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { showList } from '../../show-list.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findAgent, versionProblem, withVersion } from './find-agent.ts';
import { openCopy } from './open-copy.ts';
import { testAgent } from './test-agent.ts';

interface ListedAgent {
  name: string;
  installed: boolean;
  version: string | null;
  protocol: 'acp' | 'stdin' | 'headless' | null;
  program: string | null;
  /** "own" where it works with the person's login; null for the model endpoint. */
  auth: 'own' | null;
  /** The settings file that defines or changes it; "built in" for what Millrace knows by itself. */
  from: string;
  /** What to know before using it. */
  note: string | null;
}

const BUILT_IN = 'built in';

async function describeAgent(name: string, settings: AgentSettings): Promise<ListedAgent> {
  const searchPath = process.env['PATH'] ?? '';
  const from = Object.hasOwn(settings.defined, name) ? settings.file : BUILT_IN;
  const auth = settings.ownLogins.has(name) ? 'own' : null;
  const found = findAgent(name, settings, searchPath);
  if (found.kind === 'problem') {
    const asked = settings.defined[name]?.protocol;
    const protocol = asked ?? (isKnownAgent(name) ? factsOfAgent(name).protocol : null);
    const note = found.problem.hint;
    return { name, installed: false, version: null, protocol, program: null, auth, from, note };
  }
  const program = await withVersion(found.program, searchPath);
  return {
    name,
    installed: true,
    version: program.version ?? null,
    protocol: program.protocol,
    program: program.command[0],
    auth,
    from,
    note: versionProblem(program)?.message ?? null,
  };
}

async function listAgents(options: CommandOptions): Promise<number> {
  const { agents: settings } = readClientSettings(options, process.env, process.cwd());
  const names = new Set<string>([...KNOWN_AGENTS, ...Object.keys(settings.defined).sort()]);
  const builtIn = (name: string, note: string): ListedAgent => {
    const nothing = { version: null, protocol: null, program: null, auth: null };
    return { name, installed: true, ...nothing, from: BUILT_IN, note };
  };
  const others = await Promise.all([...names].map((name) => describeAgent(name, settings)));
  const items = [
    builtIn(ANSWER, 'a model answers, without tools; the default'),
    builtIn(LOOP, 'a model works in turns, with tools of Millrace'),
    ...others,
  ];
  return showList<ListedAgent>(options, {
    document: { items },
    rows: items,
    columns: [
      { head: 'NAME', text: ({ name }) => name },
      { head: 'INSTALLED', text: ({ installed }) => (installed ? 'yes' : 'no') },
      { head: 'VERSION', text: ({ version }) => version ?? '-' },
      { head: 'PROTOCOL', text: ({ protocol }) => protocol ?? '-' },
      { head: 'LOGIN', text: ({ auth }) => auth ?? '-' },
      { head: 'FROM', text: ({ from }) => plain(from) },
      {
        head: 'PROGRAM',
        text: ({ program, note }) => plain(program ?? note ?? '-'),
        isFlexible: true,
      },
    ],
    empty: '',
  });
}

export const AGENTS: Resource = {
  noun: 'agents',
  summary: 'list agents that can work on streams, and see their work',
  examples: ['agents list', 'agents test claude', 'agents open api'],
  actions: [
    {
      name: 'list',
      summary: 'list agents, and which are installed',
      examples: ['agents list', 'agents list --json'],
      run: listAgents,
    },
    {
      name: 'test',
      summary: 'let an agent write one file in a temporary project',
      examples: ['agents test claude', 'agents test my-agent --model claude-sonnet-5-5'],
      input: (command) =>
        command
          .argument('<name>', 'the agent')
          .option('--model <id>', 'ask this model, which costs money (default: a simulated one)'),
      run: testAgent,
    },
    {
      name: 'open',
      summary: 'print a folder with what the agent of a stream wrote',
      examples: ['agents open api', 'agents open api --run run_01... --keep'],
      input: (command) =>
        command
          .argument('<stream>', 'at work, or failed while its run lasts')
          .option('--run <id>', 'id of a run, may be shortened (default: the last one)')
          .option('--keep', 'keep the folder when the run has ended'),
      run: openCopy,
    },
  ],
};
