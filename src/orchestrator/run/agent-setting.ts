import type { AgentProgram } from '../../agents/agent-program.ts';
import type { SandboxPlace } from '../commands/run-sandbox.ts';

/** Why a question at the terminal is given up: it was answered on the server. */
export class AnsweredElsewhere extends Error {
  readonly by: string | undefined;
  /** Undefined where the agent decides itself. */
  readonly answer: string | undefined;

  constructor(by: string | undefined, answer: string | undefined) {
    super('The question was answered on the server.');
    this.by = by;
    this.answer = answer;
  }
}

/** The agents that streams of a run name, as they were found on this machine, and where they work. */
export interface AgentSetting {
  programs: ReadonlyMap<string, AgentProgram>;
  place: SandboxPlace;
  /** Longer without a sign of life, and an agent is ended. */
  silentMs?: number;
  /** What the built-in agent may run besides the commands of its stream. */
  commands?: readonly string[];
  /** Where the person of this run sits at its terminal; empty for no answer. Given up when `signal` is aborted. */
  ask?(stream: string, question: string, signal: AbortSignal): Promise<string>;
}
