// What an agent is seen to do while it works. Only for those who look on: nothing is decided by it.
import type { FileChangeSummary } from '../contract/run-events.ts';

export interface ChangedSoFar {
  files: number;
  additions: number;
  deletions: number;
  /** Changed files that its stream does not own. */
  outside: number;
  list: FileChangeSummary[];
}

export interface AgentEvents {
  /** A model call of its own has ended. */
  turn(turn: { number: number; ok: boolean; durationMs: number; error?: string }): void;
  tool(tool: { name: string; argument: string; durationMs?: number }): void;
  refused(refused: { what: 'file' | 'host' | 'permission'; subject: string; why: string }): void;
  message(text: string): void;
  thought(text: string): void;
  /** What is different in its copy so far. */
  changed(changed: ChangedSoFar): void;
}
