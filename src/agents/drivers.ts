import { runAcp } from './acp/run-acp.ts';
import type { AgentProtocol } from './agent-program.ts';
import type { AgentDriver } from './agent-run.ts';
import { runHeadless } from './headless/run-headless.ts';
import { runStdin } from './stdin/run-stdin.ts';

const DRIVERS: Readonly<Record<AgentProtocol, AgentDriver>> = {
  stdin: runStdin,
  acp: (run) => runAcp(run),
  headless: runHeadless,
};

export const driverOf = (protocol: AgentProtocol): AgentDriver => DRIVERS[protocol];
