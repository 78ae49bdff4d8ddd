// Commands of a manifest in the sandbox: each in a fresh copy of the project as it is when the command starts, at
// the project's own path. Of what it writes, only dependencies that a setup installed are there for the next one.
import { sandboxEnvironment } from '../../sandbox/environment.ts';
import type { RefusedHost } from '../../sandbox/network/policy.ts';
import type { Copy } from '../../sandbox/copy/copy.ts';
import type { Ending, SandboxProcess } from '../../sandbox/sandbox.ts';
import { NODE_VARIABLE } from './command-env.ts';
import type { CommandProcess, Exit } from './command-process.ts';
import type { RunSandbox, SandboxPlace } from './run-sandbox.ts';

export interface CommandSandboxOptions extends SandboxPlace {
  /** What commands may reach; approved by the user. */
  hosts: readonly string[];
}

export interface SandboxedCommand {
  env: NodeJS.ProcessEnv;
  keepsDependencies?: boolean;
}

export interface CommandSandbox {
  start(command: string, about: SandboxedCommand): Promise<CommandProcess>;
}

/** What Millrace says to commands; of the rest of the user's environment a list is let through. */
const OURS = ['MILLRACE_STREAM', 'MILLRACE_PORT_BASE'];

export function createCommandSandbox(
  { sandbox, openCopy, limits }: RunSandbox,
  { hosts }: Pick<CommandSandboxOptions, 'hosts'>,
): CommandSandbox {
  function environmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
    const ours = OURS.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return sandboxEnvironment(env, {
      ...Object.fromEntries(ours),
      [NODE_VARIABLE]: sandbox.nodeInside,
    });
  }

  return {
    async start(command, { env, keepsDependencies = false }) {
      let copy: Copy | undefined;
      try {
        copy = await openCopy({ keepsDependencies });
        const process = await sandbox.start({
          // Both streams into one pipe, so that an error stands where it happened.
          command: ['/bin/sh', '-c', 'exec /bin/sh -c "$1" 2>&1', 'sh', command],
          folder: { kind: 'copy', copy },
          environment: environmentOf(env),
          // Also where nothing may be reached: the proxy is who sees what was tried.
          network: { kind: 'hosts', hosts },
          // The time is the caller's.
          limits: { ...limits, timeoutMs: Infinity },
        });
        process.stdin.end();
        const used = copy;
        const ended = process.ended.finally(() => {
          if (keepsDependencies) used.keepInstalled();
          used.remove();
        });
        return commandProcess(process, ended);
      } catch (error) {
        copy?.remove();
        throw error;
      }
    },
  };
}

function exitOf(ending: Ending): Exit {
  switch (ending.kind) {
    case 'exited':
      return { exitCode: ending.exitCode, signal: null };
    case 'limit':
      return { exitCode: null, signal: null, limit: ending.text };
    case 'cancelled':
      return { exitCode: null, signal: 'SIGKILL' };
    case 'unstartable':
      throw new Error(ending.message);
  }
}

const WHY: Record<RefusedHost['reason'], string> = {
  'not allowed': 'commandNetwork does not list it',
  'not public': 'its address is not public',
  port: 'only ports 80 and 443 are open',
  address: 'hosts are reached by name only',
};

function commandProcess(process: SandboxProcess, ended: Promise<Ending>): CommandProcess {
  const exited = ended.then(exitOf);
  // Its reader may have left already.
  exited.catch(() => undefined);
  return {
    outputs: [process.stdout, process.stderr],
    exited,
    async end() {
      process.kill();
      await ended;
      return true;
    },
    kill: () => void process.killNow(),
    notes: () =>
      process
        .refused()
        .map(
          ({ host, reason }) =>
            `The command tried to reach ${host}, and was refused: ${WHY[reason]}.`,
        ),
  };
}
