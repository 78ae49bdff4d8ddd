// The agents that the streams of a run name: found on this machine before anything is spent.
import { homedir } from 'node:os';
import { isKnownAgent } from '../../../agents/known/known-agents.ts';
import type { AgentProgram } from '../../../agents/agent-program.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { ladderOf } from '../../../manifest/ladder.ts';
import type { LadderDefaults } from '../../../manifest/ladder.ts';
import { ANSWER, LOOP } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { agentOf } from '../../../orchestrator/index.ts';
import type { AgentSetting } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';
import { plain } from '../../terminal/plain-text.ts';
import {
  cannotAsk,
  findAgent,
  modelProblem,
  versionProblem,
  withVersion,
} from '../agents/find-agent.ts';
import type { AgentProblem } from '../agents/find-agent.ts';
import { consentOf, mayWork } from './of-request.ts';
import { loginProblems } from './own-logins.ts';
import { agentSandboxProblem } from './command-sandbox.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';

interface AgentDefaults extends LadderDefaults {
  ownLogins?: ReadonlySet<string>;
}

/** Without `answer`, which needs nothing. */
export function namedAgents(
  manifest: Manifest,
  chosen: readonly string[],
  agent: string | undefined,
): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const id of chosen) {
    const stream = manifest.streams.get(id);
    const name = stream && agentOf(manifest, stream, { agent });
    if (name !== undefined && name !== ANSWER) named.set(name, [...(named.get(name) ?? []), id]);
  }
  return named;
}

/** Undefined when no stream of the run names one. Throws where one is not there. */
export async function agentsOfRun(
  named: ReadonlyMap<string, readonly string[]>,
  settings: AgentSettings,
  /** The project's real path. */
  root: string,
): Promise<AgentSetting | undefined> {
  if (named.size === 0) return undefined;
  const searchPath = process.env['PATH'] ?? '';
  const programs = new Map<string, AgentProgram>();
  const consent = consentOf(process.env);
  for (const [name, streams] of named) {
    if (consent !== undefined && !mayWork(consent, name)) {
      const message = `The owner of this runner has not allowed the agent ${name} for runs of others.`;
      const hint = `Allowed: ${consent.agents?.join(', ') || 'none'}.`;
      throw new CommandError(ofStreams({ code: 'AGENT_NOT_ALLOWED', message, hint }, streams));
    }
    if (name === LOOP) continue;
    const found = findAgent(name, settings, searchPath);
    if (found.kind === 'problem') throw new CommandError(ofStreams(found.problem, streams));
    programs.set(name, await withVersion(found.program, searchPath));
  }
  const home = homedir();
  const commands = settings.commandsOf.get(root) ?? [];
  return { programs, commands, place: { home, stateHome: stateHomeOf(process.env, home) } };
}

const ofStreams = ({ code, message, hint }: AgentProblem, streams: readonly string[]) => ({
  code,
  message: plain(`${streams.join(', ')}: ${message}`),
  hint: plain(hint),
});

/** Throws for a stream whose agent cannot ask its model: before anything is spent. */
export function checkAgentModels(
  manifest: Manifest,
  named: ReadonlyMap<string, readonly string[]>,
  defaults: AgentDefaults,
): void {
  const [first] = modelProblems(manifest, named, defaults);
  if (first !== undefined) throw new CommandError(ofStreams(first.problem, first.streams));
}

/** Before the first use of a version that nobody has tried: formats and options change between them. */
export function versionWarnings(agents: AgentSetting | undefined): Problem[] {
  return [...(agents?.programs.values() ?? [])].flatMap((program) => {
    const problem = versionProblem(program);
    return problem === undefined ? [] : [warningOf(problem)];
  });
}

function modelProblems(
  manifest: Manifest,
  named: ReadonlyMap<string, readonly string[]>,
  defaults: AgentDefaults,
): { problem: AgentProblem; streams: readonly string[] }[] {
  return [...named].flatMap(([name, streams]) => {
    if (!isKnownAgent(name)) return [];
    const wrong = new Map<string, string[]>();
    for (const id of streams) {
      for (const model of ladderOf(manifest, manifest.streams.get(id)!, defaults)) {
        if (cannotAsk(name, model, defaults.ownLogins?.has(name) === true))
          wrong.set(model, [...(wrong.get(model) ?? []), id]);
      }
    }
    return [...wrong].map(([model, ids]) => ({
      problem: modelProblem(name, model),
      streams: ids,
    }));
  });
}

/** The same for a plan, which starts none: what would stop a run. */
export async function agentProblems(
  manifest: Manifest,
  named: ReadonlyMap<string, readonly string[]>,
  settings: AgentSettings,
  defaults: LadderDefaults,
): Promise<Problem[]> {
  if (named.size === 0) return [];
  const searchPath = process.env['PATH'] ?? '';
  const missing = [...named].flatMap(([name, streams]) => {
    if (name === LOOP) return [];
    const found = findAgent(name, settings, searchPath);
    return found.kind === 'found' ? [] : [{ problem: found.problem, streams }];
  });
  const { ownLogins } = settings;
  const ofAgents = [
    ...missing,
    ...modelProblems(manifest, named, { ...defaults, ownLogins }),
    ...loginProblems(manifest, named, settings, undefined),
  ];
  const warnings = ofAgents.map(({ problem, streams }) => warningOf(ofStreams(problem, streams)));
  const noSandbox = await agentSandboxProblem();
  return noSandbox === undefined ? warnings : [...warnings, warningOf(noSandbox)];
}

const warningOf = (problem: AgentProblem): Problem => ({
  ...problem,
  severity: 'warning',
  path: '',
  line: 1,
  column: 1,
});

/** What agents may reach besides models: approved as commands are. */
export function hostsOfAgents(
  manifest: Manifest,
  named: ReadonlyMap<string, readonly string[]>,
): string[] {
  const networks = [...named.values()]
    .flat()
    .map((id) => manifest.streams.get(id)?.network ?? manifest.network ?? 'models');
  return [...new Set(networks.flatMap((network) => (typeof network === 'string' ? [] : network)))];
}
