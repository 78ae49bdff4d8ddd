// One task for a program in the sandbox: what each protocol gets to do it with.
import type { Tokens } from '../contract/run-events.ts';
import type { ProviderId } from '../domain/model/model-routing.ts';
import type { SandboxProcess } from '../sandbox/sandbox.ts';
import type { AgentEvents } from './agent-events.ts';
import type { AgentProgram } from './agent-program.ts';
import type { ModelEndpoint } from './model-access.ts';

/** What it takes to continue a session of an agent, besides its files. */
export interface SessionState {
  id: string;
  /** What the agent said at the end that all of the session had used: some count on from there. */
  said?: AgentUse;
}

export interface AgentRun {
  program: AgentProgram;
  text: string;
  /** Of an earlier task, whose files are in the home inside: the agent continues it. */
  session?: SessionState;
  /** The vendor's own name for it. */
  model: string;
  /** Whose it is; undefined where only the server knows. */
  provider: ProviderId | undefined;
  maxTurns: number;
  /** Of the copy, as it is called inside: the folder that the agent works in. */
  folder: string;
  endpoint: ModelEndpoint;
  /** Starts a program in the copy, with the addresses of the model endpoint in its environment. */
  start(
    command: readonly [string, ...string[]],
    environment?: Readonly<Record<string, string>>,
  ): Promise<SandboxProcess>;
  events: AgentEvents;
  /** Entries of `owns`; empty for all files. */
  mayWrite(path: string): boolean;
}

/** What an agent says itself that it used. */
export interface AgentUse {
  tokens: Tokens;
  /** Missing where it names no price. */
  estimatedUsd?: number;
}

export interface AgentEnd {
  /** What it said last; nothing is decided by it. */
  lastWords: string | undefined;
  /** Why it could not do its work at all. */
  error?: string;
  used?: AgentUse;
  /** What a later task can continue; missing where the agent cannot. */
  session?: SessionState;
}

/** Ends when the agent says that it is done, or its process ends. What it started is ended by the caller. */
export type AgentDriver = (run: AgentRun) => Promise<AgentEnd>;
