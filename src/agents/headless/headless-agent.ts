// An agent that is given its task by its own command line, and prints what it does as JSON, a value a line.
import type { AgentLog } from '../agent-log.ts';
import type { AgentRun, AgentUse } from '../agent-run.ts';
import type { Launch } from '../launch.ts';

/** It becomes a word of a command line, and comes from what an agent printed. */
const SESSION = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/;

export const sessionIn = (value: unknown): string | undefined =>
  typeof value === 'string' && SESSION.test(value) ? value : undefined;

export interface HeadlessAgent {
  launch(run: AgentRun): Launch;
  /** What of its use it counts for a whole session, those before this task included. */
  countsOn?: keyof AgentUse;
  /** Takes whatever comes: formats change between versions, and what is not known is passed over. */
  read(log: AgentLog): (value: unknown) => void;
}
