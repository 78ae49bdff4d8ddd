import type { AgentProgram } from '../../agents/agent-program.ts';
import type { SandboxPlace } from '../commands/run-sandbox.ts';

/** The agents that streams of a run name, as they were found on this machine, and where they work. */
export interface AgentSetting {
  programs: ReadonlyMap<string, AgentProgram>;
  place: SandboxPlace;
  /** Longer without a sign of life, and an agent is ended. */
  silentMs?: number;
  /** What the built-in agent may run besides the commands of its stream. */
  commands?: readonly string[];
  /** Where the person of this run can be asked; undefined for no answer. */
  ask?(stream: string, question: string, signal: AbortSignal): Promise<string | undefined>;
}
