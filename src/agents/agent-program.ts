// A program that works as an agent, as it was found on this machine.
import type { KnownAgent } from './known/known-agents.ts';

/** How it is spoken to: by the Agent Client Protocol, by a task on its standard input, or by its own options. */
export type AgentProtocol = 'acp' | 'stdin' | 'headless';

export interface AgentProgram {
  /** As streams name it. */
  name: string;
  /** One that Millrace knows how to start; other programs find what they need in their environment. */
  known?: KnownAgent;
  protocol: AgentProtocol;
  /** Absolute; links are resolved. */
  command: readonly [string, ...string[]];
  /** The program and the folders of its package: read-only in the sandbox, wherever they are. */
  paths: readonly string[];
  version: string | undefined;
}
