// A place where a process can do no harm. It runs a command with a folder (a private copy, read-only or the
// original), limits, an environment and a network policy; its output streams, and everything it started ends
// with it, also what detached itself.
//
//   const sandbox = createSandbox({ stateFolder, home, environment });
//   const base = await sandbox.openBase({ folder, files, isSecret });       // once for a run
//   const copy = await sandbox.openCopy({ folder, files, isSecret, dependencies: ['node_modules'], base });
//   const run = await sandbox.start({ command: ['npm', 'test'], folder: { kind: 'copy', copy }, ... });
//   run.stdout.pipe(process.stdout);
//   const ending = await run.ended;      // how it ended, and which limit it passed
//   const { changes } = await copy.changes();
//   await sandbox.close();
//
// What a process inside sees: its folder at the project's own path, folders of the system and of tools
// read-only, an empty home and temp folder, processes and a loopback of its own. Not the person's home, keys,
// sockets or other projects, and not our state.
//
// A copy outlives its commands: several run in it, one after the other. All that is kept is below one folder of
// this process, which is gone when the sandbox closes, when this process ends, and otherwise at the next start.
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Copy, CopySource } from './copy/copy.ts';
import { openCopy } from './copy/copy.ts';
import { createLayer } from './copy/dependencies.ts';
import type { DependencyLayer } from './copy/dependencies.ts';
import { openRunBase } from './copy/run-base.ts';
import type { BaseSource, RunBase } from './copy/run-base.ts';
import { removeTree } from './copy/remove-tree.ts';
import { removeAtExit } from './at-exit.ts';
import type { LimitName, Limits } from './limits.ts';
import type { CgroupTree } from './linux/cgroup.ts';
import type { MountRights } from './linux/launch.ts';
import { createBackend } from './backend.ts';
import { NO_BACKEND, SandboxUnavailableError } from './remedies.ts';
import type { Door } from './network/doors.ts';
import type { Reach } from './network/proxy.ts';
import type { NetworkPolicy, RefusedHost } from './network/policy.ts';
import { isInside } from '../platform/inside-folder.ts';
import { publicResolver } from '../platform/target-resolver.ts';
import { withoutBackend } from './without/backend.ts';
import { openWorkplace } from './workplace.ts';

export type FolderUse =
  | { kind: 'copy'; copy: Copy }
  /** The project itself, as it is. */
  | { kind: 'read-only'; path: string }
  | { kind: 'original'; path: string };

/** A home inside that lasts longer than one command: until it is removed, or the sandbox closes. */
export interface PrivateHome {
  path: string;
  remove(): void;
}

export interface SandboxRequest {
  command: readonly [string, ...string[]];
  folder: FolderUse;
  /** All of it: see `sandboxEnvironment`. */
  environment: Readonly<Record<string, string>>;
  network: NetworkPolicy;
  /** Loopback ports inside that lead to one thing outside each. */
  doors?: readonly Door[];
  /** Programs, and folders of theirs, that can be read where they are. */
  programs?: readonly string[];
  /** Instead of an empty one. */
  home?: PrivateHome;
  limits?: Partial<Limits>;
  signal?: AbortSignal;
}

export type Ending =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'limit'; limit: LimitName; text: string }
  | { kind: 'cancelled' }
  | { kind: 'unstartable'; message: string };

export interface SandboxProcess {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  /** When nothing of it is left. */
  ended: Promise<Ending>;
  /** Time of the processor that is used, in ticks: what changes between two readings is at work. */
  ticks(): number;
  /** What it tried to reach, so far. */
  refused(): RefusedHost[];
  /** Ends all of it at once. */
  kill(): void;
  /** The same, and waits for it in this thread; false when something is still there. */
  killNow(): boolean;
}

export interface Sandbox {
  /** Where a process inside finds a Node, with doors or hosts. */
  nodeInside: string;
  /** What the walls are made of. */
  program: string;
  /** Processes inside have the loopback of the machine: its other users reach a door as well. */
  sharesLoopback: boolean;
  /** What is weaker on this machine than elsewhere. */
  lacks: readonly string[];
  start(request: SandboxRequest): Promise<SandboxProcess>;
  openCopy(source: CopySource): Promise<Copy>;
  openLayer(): DependencyLayer;
  openHome(): PrivateHome;
  /** What the copies of one run share: a snapshot of the project, and a repository with it. */
  openBase(source: BaseSource): Promise<RunBase>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Ours; never visible inside. */
  stateFolder: string;
  /** The person's; tools are looked for there. */
  home: string;
  reach?: Partial<Reach>;
  /** A Node that this user may read; the one that runs us unless another is named. */
  node?: string;
  /** Of the machine, unless another one is named. */
  cgroupTree?: CgroupTree;
  /** Where the programs are looked for. */
  programFolders?: readonly string[];
  /** A person has said that it may be done without walls. */
  isWithout?: boolean;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { programFolders, cgroupTree } = options;
  const backend = options.isWithout
    ? withoutBackend()
    : createBackend?.({ programFolders, cgroupTree });
  if (backend === undefined) throw new SandboxUnavailableError(NO_BACKEND);
  if (backend.missing !== undefined) throw new SandboxUnavailableError(backend.missing);
  const { programs, hasMounts } = backend;
  const workplace = openWorkplace(options.stateFolder);
  const node = options.node ?? globalThis.process.execPath;
  const running = new Set<SandboxProcess>();
  /** Overlays that are mounted. */
  const inUse = new Set<string>();
  const reach: Reach = { resolve: publicResolver(), allowPrivate: false, ports: [80, 443] };
  let rights: Promise<MountRights | undefined> | undefined;
  const mountRights = () => (rights ??= backend.mountRights(workplace.path));
  const copyWorld = async () => ({
    workplace,
    programs,
    hasMounts,
    mountRights: await mountRights(),
  });

  /** A project that has our state in it, as a home folder does, would be copied into itself. */
  function withoutState<T extends BaseSource>(source: T): T {
    const { folder } = source;
    const state = realpathSync.native(options.stateFolder);
    if (!isInside(folder, state)) return source;
    const files = source.files.filter((path) => !isInside(state, join(folder, path)));
    return { ...source, files };
  }

  function removeNow(): void {
    // A process that still runs could put a link where a folder is being removed: then all stays for the next start.
    const areGone = [...running].map((one) => one.killNow());
    if (areGone.every(Boolean)) workplace.remove();
  }
  const forget = removeAtExit(removeNow);

  return {
    nodeInside: backend.nodeInside(node),
    program: backend.name,
    sharesLoopback: !hasMounts,
    get lacks() {
      return backend.lacks;
    },
    async start(request) {
      const { folder } = request;
      const names =
        folder.kind === 'copy' ? folder.copy.mounts.overlays.map(({ name }) => name) : [];
      // Two mounts of one upper folder would each miss what the other writes.
      if (names.some((name) => inUse.has(name))) {
        throw new Error('A command is running in this copy, or with these dependencies.');
      }
      for (const name of names) inUse.add(name);
      const release = () => {
        for (const name of names) inUse.delete(name);
      };
      const process = await backend
        .start(request, {
          workplace,
          mountRights,
          home: existsSync(options.home) ? realpathSync.native(options.home) : options.home,
          stateFolder: realpathSync.native(options.stateFolder),
          reach: { ...reach, ...options.reach },
          node,
        })
        .catch((error: unknown) => {
          release();
          throw error;
        });
      running.add(process);
      const forgetProcess = () => {
        running.delete(process);
        release();
      };
      process.ended.then(forgetProcess, forgetProcess);
      return process;
    },
    openCopy: async (source) => openCopy(withoutState(source), await copyWorld()),
    openLayer: () => createLayer(workplace),
    openHome() {
      const path = join(workplace.path, workplace.newFolder('home'));
      return { path, remove: () => removeTree(path) };
    },
    openBase: (source) => openRunBase(withoutState(source), workplace, copyWorld()),
    async close() {
      forget();
      for (const one of running) one.kill();
      await Promise.all([...running].map(({ ended }) => ended));
      workplace.remove();
    },
  };
}
