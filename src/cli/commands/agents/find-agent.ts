// The agent that a name means for this person: of their settings, or one that Millrace knows how to start.
import { homedir } from 'node:os';
import { findLogin } from '../../../agents/login/find-login.ts';
import { findProgram } from '../../../agents/find-agent.ts';
import type { AgentProgram } from '../../../agents/agent-program.ts';
import { isTriedVersion, versionOf } from '../../../agents/known/agent-version.ts';
import {
  KNOWN_AGENTS,
  canAsk,
  factsOfAgent,
  isKnownAgent,
} from '../../../agents/known/known-agents.ts';
import type { KnownAgent, KnownProtocol } from '../../../agents/known/known-agents.ts';
import { PROVIDER_NAMES, isSimulatedModel } from '../../../domain/model/model-routing.ts';
import { ANSWER, LOOP } from '../../../manifest/model.ts';
import type { AgentSettings } from '../../settings/client-settings.ts';

export interface AgentProblem {
  code: string;
  message: string;
  hint: string;
}

export type FoundAgent =
  | { kind: 'found'; program: AgentProgram }
  | { kind: 'problem'; problem: AgentProblem };

export function findAgent(name: string, settings: AgentSettings, searchPath: string): FoundAgent {
  const definition = Object.hasOwn(settings.defined, name) ? settings.defined[name] : undefined;
  if (isKnownAgent(name)) {
    const protocol = definition?.protocol ?? factsOfAgent(name).protocol;
    if (protocol !== 'stdin') {
      const found = findKnown(name, protocol, definition?.command, { settings, searchPath });
      return definition?.auth === 'own' ? withLogin(found, name) : found;
    }
  }
  if (definition?.command === undefined)
    return { kind: 'problem', problem: unknown(name, settings) };
  const { command, protocol = 'stdin' } = definition;
  return start(name, command, protocol, { settings, searchPath });
}

interface Place {
  settings: AgentSettings;
  searchPath: string;
}

function start(
  name: string,
  [program = '', ...args]: readonly string[],
  protocol: AgentProgram['protocol'],
  { settings, searchPath }: Place,
): FoundAgent {
  const found = findProgram(program, searchPath);
  if (found === undefined) {
    const message = `The agent "${name}" cannot be started: ${program} was not found.`;
    const hint = `Install it, or correct its command in ${settings.file}. A command is a name on your PATH or an absolute path.`;
    return { kind: 'problem', problem: { code: 'AGENT_MISSING', message, hint } };
  }
  const { file, paths } = found;
  const command: [string, ...string[]] = [file, ...args];
  return { kind: 'found', program: { name, protocol, command, paths, version: undefined } };
}

function findKnown(
  name: KnownAgent,
  protocol: KnownProtocol,
  command: readonly string[] | undefined,
  place: Place,
): FoundAgent {
  const { title, programs } = factsOfAgent(name);
  const { names, package: packageName } = programs[protocol];
  const isThere = (each: string) => findProgram(each, place.searchPath) !== undefined;
  const own = command ?? [names.find(isThere) ?? names[0]];
  const found = start(name, own, protocol, place);
  if (found.kind === 'found') return { ...found, program: { ...found.program, known: name } };
  if (command !== undefined) return found;
  const message = `${title} cannot be started: ${names[0]} was not found.`;
  const hint = `Install it with: npm install -g ${packageName}`;
  return { kind: 'problem', problem: { code: 'AGENT_MISSING', message, hint } };
}

/** The login is looked for before anything is spent. */
function withLogin(found: FoundAgent, name: KnownAgent): FoundAgent {
  if (found.kind === 'problem') return found;
  const login = findLogin(factsOfAgent(name).login!, process.env, homedir());
  if (login.kind === 'found')
    return { kind: 'found', program: { ...found.program, login: login.login } };
  const { title, login: facts } = factsOfAgent(name);
  const message = `${title} should work with your own login, and there is none in ${login.file}.`;
  const hint = `Sign in with: ${facts!.command}. A login that is kept elsewhere (a key chain) cannot be used.`;
  return { kind: 'problem', problem: { code: 'AGENT_LOGIN', message, hint } };
}

function unknown(name: string, { file, defined }: AgentSettings): AgentProblem {
  const names = [...new Set([...KNOWN_AGENTS, ...Object.keys(defined).sort()])];
  return {
    code: 'AGENT_UNKNOWN',
    message: `There is no agent "${name}".`,
    hint: `Agents: ${ANSWER}, ${LOOP}, ${names.join(', ')}. Define others under "agents" in ${file}.`,
  };
}

export async function withVersion(
  program: AgentProgram,
  searchPath: string,
): Promise<AgentProgram> {
  // A program of the person's own may do anything when it is started.
  if (program.known === undefined) return program;
  return { ...program, version: await versionOf(program.command[0], searchPath) };
}

/** Undefined where the version is one that was tried, or none can be known. */
export function versionProblem({
  known,
  protocol,
  version,
}: AgentProgram): AgentProblem | undefined {
  if (known === undefined || protocol === 'stdin') return undefined;
  const { title, programs } = factsOfAgent(known);
  const program = programs[protocol];
  if (version !== undefined && isTriedVersion(version, program)) return undefined;
  return {
    code: 'AGENT_VERSION',
    message:
      version === undefined
        ? `The version of ${title} cannot be read. Millrace was tested with ${program.tested}.`
        : `${title} has version ${version}. Millrace was tested with ${program.tested}.`,
    hint: `If it fails, install that version: npm install -g ${program.package}@${program.tested}`,
  };
}

/** Where it cannot ask the model, or cannot with the person's own login: that is known to its vendor alone. */
export function cannotAsk(name: KnownAgent, model: string, hasLogin: boolean): boolean {
  return !canAsk(name, model) || (hasLogin && isSimulatedModel(model));
}

export function modelProblem(name: KnownAgent, model: string): AgentProblem {
  const { title, providers } = factsOfAgent(name);
  const names = providers.map((provider) => PROVIDER_NAMES[provider]).join(', ');
  return {
    code: 'AGENT_MODEL',
    message: `${title} cannot ask ${model}.`,
    hint: `Choose a model of ${names}, or another agent for it.`,
  };
}
