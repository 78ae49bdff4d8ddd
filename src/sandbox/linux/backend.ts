// Sandboxes of Linux: bubblewrap, overlays, and control groups where there are any.
import type { Backend } from '../backend.ts';
import { findMountRights } from '../copy/overlay.ts';
import { INSIDE } from '../inside.ts';
import { findCgroups } from './cgroup.ts';
import type { CgroupTree } from './cgroup.ts';
import { processNumbers } from './launch.ts';
import { findPrograms, missingText } from './programs.ts';
import type { Programs } from './programs.ts';
import { startBubblewrap } from './start.ts';

export interface LinuxOptions {
  programFolders?: readonly string[] | undefined;
  cgroupTree?: CgroupTree | undefined;
}

/** What is weaker on this machine than elsewhere. */
function lacksOf(): string[] {
  if (findCgroups('/bin/sh') !== undefined) return [];
  const lacks = [
    'no control groups (cgroups v2): memory of all processes together is read ten times a second',
  ];
  if (process.getuid?.() === 0 && processNumbers(1) === 0) {
    lacks.push('as root before Linux 6.14, processes are counted but not held by the kernel');
  }
  return lacks;
}

export function linuxBackend({ programFolders, cgroupTree }: LinuxOptions): Backend {
  const found = findPrograms(programFolders);
  const programs = found.kind === 'found' ? found.programs : ({} as Programs);
  let groups: { parent: string | undefined } | undefined;
  const cgroups = () => (groups ??= { parent: findCgroups(programs.sh, cgroupTree) }).parent;
  return {
    name: 'bubblewrap',
    missing: found.kind === 'found' ? undefined : missingText(found.names),
    get lacks() {
      return lacksOf();
    },
    programs,
    hasMounts: true,
    nodeInside: () => INSIDE.node,
    mountRights: (workFolder) => findMountRights(programs, workFolder),
    async start(request, world) {
      // Without an overlay there is still a namespace of mounts to start in.
      const rights = (await world.mountRights()) ?? 'user';
      return startBubblewrap(request, { ...world, programs, rights, cgroups: cgroups() });
    },
  };
}
