// Whether the commands of a run start in the sandbox, and whether this machine has one.
import { homedir } from 'node:os';
import { stateHomeOf } from '../../../config/state-folder.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';
import type { CommandSandboxOptions } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { consentOf } from './of-request.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';

/** Any of them turns it on, and none turns it off. */
export interface SandboxRequested {
  options: CommandOptions;
  settings: Pick<ClientSettings, 'sandboxCommands'>;
  /** Agents change files, and the person has not said that what they change may run outside. */
  hasAgents?: boolean;
  /** The run that is resumed, or whose results are applied, had its commands in the sandbox. */
  hadOne?: boolean;
}

export function wantsSandbox(requested: SandboxRequested): boolean {
  const { options, settings, hasAgents = false, hadOne = false } = requested;
  const isSaid = options['sandboxCommands'] === true || settings.sandboxCommands !== undefined;
  const isOnlyThere = consentOf(process.env)?.commands === 'sandbox';
  return isSaid || hasAgents || hadOne || isOnlyThere;
}

/** What commands may reach from the sandbox; undefined where they run as the user does. */
export function hostsOfCommands(
  {
    sandboxCommands,
    commandNetwork = 'none',
  }: Pick<Manifest, 'sandboxCommands' | 'commandNetwork'>,
  isWanted: boolean,
): readonly string[] | undefined {
  if (!isWanted && !sandboxCommands) return undefined;
  return commandNetwork === 'none' ? [] : commandNetwork;
}

async function remedy(): Promise<string | undefined> {
  const { probeSandbox } = await import('../../../sandbox/probe.ts');
  const home = homedir();
  const probe = await probeSandbox({ home, stateFolder: stateHomeOf(process.env, home) });
  return probe.kind === 'unavailable' ? probe.remedy : undefined;
}

const UNAVAILABLE = {
  code: 'SANDBOX_UNAVAILABLE',
  message: 'The commands of this manifest run in the sandbox, and this machine cannot start one.',
};

/** Agents work nowhere else. Undefined where there is a sandbox. */
export async function agentSandboxProblem(): Promise<
  { code: string; message: string; hint: string } | undefined
> {
  const hint = await remedy();
  const message = 'Agents work in the sandbox, and this machine cannot start one.';
  return hint === undefined ? undefined : { ...UNAVAILABLE, message, hint };
}

/** Throws where there is no sandbox. */
export async function ensureSandbox(): Promise<void> {
  const problem = await agentSandboxProblem();
  if (problem !== undefined) throw new CommandError(problem);
}

/** Throws where there is no sandbox: before anything is spent. */
export async function openableSandbox(hosts: readonly string[]): Promise<CommandSandboxOptions> {
  const hint = await remedy();
  if (hint !== undefined) throw new CommandError({ ...UNAVAILABLE, hint });
  const home = homedir();
  return { hosts, home, stateHome: stateHomeOf(process.env, home) };
}

/** For a plan, which starts none. */
export async function sandboxProblems(
  manifest: Manifest,
  hosts: readonly string[] | undefined,
): Promise<Problem[]> {
  const about = { severity: 'warning', path: '', line: 1, column: 1 } as const;
  if (hosts === undefined) {
    if (manifest.commandNetwork === undefined) return [];
    const message = 'commandNetwork has no effect: the commands do not run in the sandbox.';
    const hint = 'Add "sandboxCommands: true", or remove it.';
    return [{ ...about, code: 'COMMAND_NETWORK_UNUSED', message, hint }];
  }
  const hint = await remedy();
  return hint === undefined ? [] : [{ ...about, ...UNAVAILABLE, hint }];
}
