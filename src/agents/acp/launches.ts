// How the known agents are started for the Agent Client Protocol. A program of the person's own finds what it needs in its
// environment.
import type { AgentRun } from '../agent-run.ts';
import { claudeEnvironment } from '../headless/claude.ts';
import { codexSettings } from '../headless/codex.ts';
import { GEMINI_ARGS, geminiEnvironment, geminiFiles } from '../headless/gemini.ts';
import { OPENCODE_HIDES, opencodeEnvironment } from '../headless/opencode.ts';
import type { KnownAgent } from '../known/known-agents.ts';
import type { Launch } from '../launch.ts';

export interface AcpLaunch extends Launch {
  /** Of the session, in the agent's own words. */
  sessionMeta?: object;
}

const LAUNCHES: Readonly<Record<KnownAgent, (run: AgentRun) => AcpLaunch>> = {
  claude: ({ model, maxTurns }) => ({
    args: [],
    environment: claudeEnvironment(model),
    sessionMeta: {
      claudeCode: {
        options: {
          model,
          maxTurns: Math.max(1, maxTurns),
          settingSources: [],
          strictMcpConfig: true,
          promptSuggestions: false,
          skills: [],
          extraArgs: { bare: null },
        },
      },
    },
  }),
  codex: (run) => ({
    args: [],
    environment: { INITIAL_AGENT_MODE: 'agent-full-access', NO_BROWSER: '1' },
    homeFiles: { '.codex/config.toml': `${codexSettings(run).join('\n')}\n` },
    // The adapter trusts the folder of every session, whatever the configuration says.
    hides: ['.codex', '.agents'],
  }),
  gemini: (run) => ({
    args: ['--acp', ...GEMINI_ARGS, `--model=${run.model}`],
    environment: geminiEnvironment(run.model),
    homeFiles: geminiFiles(run),
  }),
  opencode: (run) => ({
    args: ['acp', '--pure'],
    // It asks before it writes, so that a write that would be refused does not happen.
    environment: opencodeEnvironment(run, { edit: 'ask' }),
    hides: OPENCODE_HIDES,
  }),
};

export function acpLaunch(run: AgentRun): AcpLaunch {
  const { known } = run.program;
  return known === undefined ? { args: [] } : LAUNCHES[known](run);
}
