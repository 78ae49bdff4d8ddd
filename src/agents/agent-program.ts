// A program that works as an agent, as it was found on this machine.
import type { KnownAgent } from './known/known-agents.ts';

/** How it is spoken to: by the Agent Client Protocol, by a task on its standard input, or by its own options. */
export type AgentProtocol = 'acp' | 'stdin' | 'headless';

/** Of the person's subscription. */
export interface OwnLogin {
  /** Absolute; links are resolved. */
  file: string;
  /** Below the home inside. */
  inside: string;
  withheld: readonly string[];
  hosts: readonly string[];
}

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
  /** It works with this, at its vendor, instead of the model endpoint. */
  login?: OwnLogin;
}
