// Commands of a manifest in the sandbox: each in a fresh copy of the project as it is when the command starts, at
// the project's own path. Of what it writes, only dependencies that a setup installed are there for the next one.
import { isSecret } from '../../domain/artifact/secret-path.ts';
import { createWalker } from '../../project/walk.ts';
import type { RunBase } from '../../sandbox/copy/run-base.ts';
import { sandboxEnvironment } from '../../sandbox/environment.ts';
import type { Limits } from '../../sandbox/limits.ts';
import { INSIDE } from '../../sandbox/linux/arguments.ts';
import type { RefusedHost } from '../../sandbox/network/policy.ts';
import type { Reach } from '../../sandbox/network/proxy.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import type { Copy } from '../../sandbox/copy/copy.ts';
import type { Ending, SandboxProcess } from '../../sandbox/sandbox.ts';
import { NODE_VARIABLE } from './command-env.ts';
import type { CommandProcess, Exit } from './command-process.ts';
import { createTurns } from './turns.ts';

export interface CommandSandboxOptions {
  /** Of all projects; never visible inside. */
  stateHome: string;
  /** The user's; tools are looked for there. */
  home: string;
  /** What commands may reach; approved by the user. */
  hosts: readonly string[];
  limits?: Partial<Limits>;
  reach?: Partial<Reach>;
}

export interface SandboxedCommand {
  env: NodeJS.ProcessEnv;
  keepsDependencies?: boolean;
}

export interface CommandSandbox {
  start(command: string, about: SandboxedCommand): Promise<CommandProcess>;
  close(): Promise<void>;
}

/** What Millrace says to commands; of the rest of the user's environment a list is let through. */
const OURS = ['MILLRACE_STREAM', 'MILLRACE_PORT_BASE'];

export function createCommandSandbox(root: string, options: CommandSandboxOptions): CommandSandbox {
  const { stateHome, home, hosts, limits, reach } = options;
  const sandbox = createSandbox({ stateFolder: stateHome, home, ...(reach && { reach }) });
  const walker = createWalker(root);
  const layer = sandbox.openLayer();
  // A folder that a setup writes to cannot lie below the overlay of another command.
  const turns = createTurns();
  let base: Promise<RunBase> | undefined;

  async function openCopy(keepsDependencies: boolean): Promise<Copy> {
    const { listing } = await walker.walk();
    const source = { folder: root, files: [...listing.files, ...listing.links], isSecret };
    base ??= sandbox.openBase(source);
    return sandbox.openCopy({ ...source, base: await base, layer, keepsDependencies });
  }

  function environmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
    const ours = OURS.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    });
    return sandboxEnvironment(env, { ...Object.fromEntries(ours), [NODE_VARIABLE]: INSIDE.node });
  }

  return {
    async start(command, { env, keepsDependencies = false }) {
      const release = await (keepsDependencies ? turns.change() : turns.use());
      let copy: Copy | undefined;
      try {
        copy = await openCopy(keepsDependencies);
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
        const ended = process.ended
          .finally(() => {
            if (keepsDependencies) used.keepInstalled();
            used.remove();
          })
          .finally(release);
        return commandProcess(process, ended);
      } catch (error) {
        copy?.remove();
        release();
        throw error;
      }
    },
    close: () => sandbox.close(),
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
