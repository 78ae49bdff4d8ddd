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
  /** Whether it continues what it began in the attempt before; why not, where it could have. */
  session(session: { continued: boolean; why?: string }): void;
  /** A model call of its own has ended. */
  turn(turn: { number: number; ok: boolean; durationMs: number; error?: string }): void;
  tool(tool: { name: string; argument: string; durationMs?: number }): void;
  refused(refused: { what: 'file' | 'host' | 'permission'; subject: string; why: string }): void;
  message(text: string): void;
  thought(text: string): void;
  /** What is different in its copy so far. */
  changed(changed: ChangedSoFar): void;
}

/** The same, with a call for each sign that the agent works. */
export function heardBy(events: AgentEvents, onSign: () => void): AgentEvents {
  const heard =
    <T>(report: (about: T) => void) =>
    (about: T): void => {
      onSign();
      report(about);
    };
  const { tool, message, thought } = events;
  return { ...events, tool: heard(tool), message: heard(message), thought: heard(thought) };
}
