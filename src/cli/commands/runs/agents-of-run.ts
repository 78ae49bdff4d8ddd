// The agents that the streams of a run name: found on this machine before anything is spent.
import { homedir } from 'node:os';
import { findProgram } from '../../../agents/find-agent.ts';
import type { AgentProgram } from '../../../agents/agent-program.ts';
import { stateHomeOf } from '../../../config/state-folder.ts';
import { ANSWER, LOOP } from '../../../manifest/model.ts';
import type { Manifest } from '../../../manifest/model.ts';
import { agentOf } from '../../../orchestrator/index.ts';
import type { AgentSetting } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';
import { plain } from '../../terminal/plain-text.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';

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

function unknown(
  name: string,
  streams: readonly string[],
  { file, defined }: AgentSettings,
): never {
  const known = [LOOP, ...Object.keys(defined)].sort().join(', ');
  throw new CommandError({
    code: 'AGENT_UNKNOWN',
    message: plain(`${streams.join(', ')}: there is no agent "${name}".`),
    hint: `There are ${ANSWER}, ${known}. Define it under "agents" in ${file}.`,
  });
}

function programOf(
  name: string,
  streams: readonly string[],
  settings: AgentSettings,
): AgentProgram {
  const definition = Object.hasOwn(settings.defined, name) ? settings.defined[name] : undefined;
  if (definition === undefined) return unknown(name, streams, settings);
  const [program = '', ...args] = definition.command;
  const found = findProgram(program, process.env['PATH'] ?? '');
  if (found === undefined) {
    throw new CommandError({
      code: 'AGENT_MISSING',
      message: plain(`The agent "${name}" cannot be started: ${program} was not found.`),
      hint: `Install it, or correct its command in ${settings.file}. A command is a name on your PATH or an absolute path.`,
    });
  }
  const { protocol } = definition;
  return { name, protocol, command: [found.file, ...args], paths: found.paths, version: undefined };
}

/** Undefined when no stream of the run names one. */
export function agentsOfRun(
  named: ReadonlyMap<string, readonly string[]>,
  settings: AgentSettings,
  /** The project's real path. */
  root: string,
): AgentSetting | undefined {
  if (named.size === 0) return undefined;
  const home = homedir();
  const programs = new Map(
    [...named]
      .filter(([name]) => name !== LOOP)
      .map(([name, streams]) => [name, programOf(name, streams, settings)]),
  );
  const commands = settings.commandsOf.get(root) ?? [];
  return { programs, commands, place: { home, stateHome: stateHomeOf(process.env, home) } };
}

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
