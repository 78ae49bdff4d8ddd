import type { AgentProtocol } from './agent-program.ts';
import type { AgentDriver } from './agent-run.ts';
import { runStdin } from './stdin/run-stdin.ts';

const DRIVERS: Readonly<Record<AgentProtocol, AgentDriver>> = {
  stdin: runStdin,
  acp: runStdin,
  headless: runStdin,
};

export const driverOf = (protocol: AgentProtocol): AgentDriver => DRIVERS[protocol];
