// An agent that is given its task by its own command line, and prints what it does as JSON, a value a line.
import type { AgentLog } from '../agent-log.ts';
import type { AgentRun } from '../agent-run.ts';
import type { Launch } from '../launch.ts';

export interface HeadlessAgent {
  launch(run: AgentRun): Launch;
  /** Takes whatever comes: formats change between versions, and what is not known is passed over. */
  read(log: AgentLog): (value: unknown) => void;
}
