// A program as a driver gets it from the sandbox, without one: for what programs say, however wrong. What the sandbox
// itself does is tried in test/sandbox and in the runs beside this.
import { spawn } from 'node:child_process';
import { NO_ENDPOINT } from '../../src/agents/model-access.ts';
import type { AgentRun, SessionState } from '../../src/agents/agent-run.ts';
import type { AgentEvents } from '../../src/agents/agent-events.ts';
import type { AgentProgram } from '../../src/agents/agent-program.ts';
import type { Ending, SandboxProcess } from '../../src/sandbox/sandbox.ts';

export interface Followed {
  messages: string[];
  thoughts: string[];
  tools: Parameters<AgentEvents['tool']>[0][];
  refused: Parameters<AgentEvents['refused']>[0][];
}

export function runOf(
  program: Partial<AgentProgram> & Pick<AgentProgram, 'command' | 'protocol'>,
  {
    folder,
    home = folder,
    owns = 'src/',
    session,
  }: { folder: string; home?: string; owns?: string; session?: SessionState },
): { run: AgentRun; followed: Followed; started: readonly string[][] } {
  const followed: Followed = { messages: [], thoughts: [], tools: [], refused: [] };
  const started: string[][] = [];
  const run: AgentRun = {
    program: { name: 'scripted', paths: [], version: undefined, ...program },
    text: 'the task',
    model: 'sim-instant',
    provider: 'simulator',
    endpoint: NO_ENDPOINT,
    maxTurns: 7,
    folder,
    ...(session && { session }),
    events: {
      session: () => undefined,
      turn: () => undefined,
      tool: (tool) => followed.tools.push(tool),
      refused: (refused) => followed.refused.push(refused),
      message: (text) => followed.messages.push(text),
      thought: (text) => followed.thoughts.push(text),
      changed: () => undefined,
    },
    mayWrite: (path) => path.startsWith(owns),
    async start(command, environment) {
      started.push([...command]);
      return startProcess(command, {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: home, ...environment },
      });
    },
  };
  return { run, followed, started };
}

function startProcess(
  [file, ...args]: readonly [string, ...string[]],
  where: { cwd: string; env: NodeJS.ProcessEnv },
): SandboxProcess {
  const child = spawn(file, args, { ...where, stdio: 'pipe' });
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'unstartable', message }));
    child.once('close', (code) =>
      resolve(code === null ? { kind: 'cancelled' } : { kind: 'exited', exitCode: code }),
    );
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    ticks: () => 0,
    refused: () => [],
    kill: () => void child.kill('SIGKILL'),
    killNow: () => child.kill('SIGKILL'),
  };
}
