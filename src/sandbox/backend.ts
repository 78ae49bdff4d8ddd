// What the walls of a sandbox are made of on this system, chosen in one place. Only the parts of this system are loaded.
import type { LinuxOptions } from './linux/backend.ts';
import type { MountRights } from './linux/launch.ts';
import type { Programs } from './linux/programs.ts';
import type { Reach } from './network/proxy.ts';
import type { SandboxProcess, SandboxRequest } from './sandbox.ts';
import type { Workplace } from './workplace.ts';

export interface StartWorld {
  workplace: Workplace;
  home: string;
  stateFolder: string;
  reach: Reach;
  /** A Node that the process inside may run. */
  node: string;
  mountRights(): Promise<MountRights | undefined>;
}

export interface Backend {
  name: string;
  /** Why there can be no sandbox at all, and what to do. */
  missing: string | undefined;
  lacks: readonly string[];
  /** Of overlays. */
  programs?: Programs;
  /** Whether a copy can appear at the path of the project. */
  hasMounts: boolean;
  /** Where the process inside finds that Node. */
  nodeInside(node: string): string;
  /** Undefined where no overlay can be had. */
  mountRights(workFolder: string): Promise<MountRights | undefined>;
  start(request: SandboxRequest, world: StartWorld): Promise<SandboxProcess>;
}

type CreateBackend = (options: LinuxOptions) => Backend;

/** Undefined where no sandbox has been written for the system. */
export const createBackend: CreateBackend | undefined =
  process.platform === 'linux'
    ? (await import('./linux/backend.ts')).linuxBackend
    : process.platform === 'darwin'
      ? (await import('./macos/start.ts')).macosBackend
      : undefined;
