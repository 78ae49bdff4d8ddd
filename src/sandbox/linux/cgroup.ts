// A control group for each command, where this user may create one: then the kernel holds memory and processes of
// all that a command starts together, at any moment. Only version 2 counts: of a systemd user session, which
// hands its part of the tree to the user, or as root.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { LimitName, Limits } from '../limits.ts';

/** The machine, or a folder that looks like one. */
export interface CgroupTree {
  root: string;
  /** What /proc/self/cgroup says. */
  own: string;
}

const CONTROLLERS = ['memory', 'pids'];
const NAME = /^millrace-(\d+)-\d+$/;

export function thisTree(): CgroupTree {
  return { root: '/sys/fs/cgroup', own: textOf('/proc/self/cgroup') };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where groups can be created: a group above our own, since one with processes in it cannot limit those below it. To
 * move a process there, the user must own the list of processes that both have above them.
 */
export function findParent({ root, own }: CgroupTree): string | undefined {
  if (!existsSync(join(root, 'cgroup.controllers'))) return undefined;
  const path = /^0::(\/.*)$/m.exec(own)?.[1];
  if (path === undefined) return undefined;
  for (let group = join(root, path); group.startsWith(root) && group !== root;) {
    group = dirname(group);
    const enabled = textOf(join(group, 'cgroup.subtree_control')).trim().split(' ');
    const isFit =
      CONTROLLERS.every((name) => enabled.includes(name)) &&
      mayWrite(group) &&
      mayWrite(join(group, 'cgroup.procs'));
    if (isFit) return group;
  }
  return undefined;
}

export interface Cgroup {
  /** Who writes 0 to it is in the group, with all that it starts. */
  processes: string;
  /** The limit that the kernel has held, if any. */
  passed(): LimitName | undefined;
  remove(): void;
}

let count = 0;

/** Undefined where the kernel has no room for another one: the watch holds the limits then. */
export function createCgroup(
  parent: string,
  { memoryBytes, processes }: Pick<Limits, 'memoryBytes' | 'processes'>,
): Cgroup | undefined {
  const folder = join(parent, `millrace-${process.pid}-${(count += 1)}`);
  function remove(): void {
    try {
      rmdirSync(folder);
    } catch {
      // The last process leaves it a moment after its end; the next start removes it.
    }
  }
  const write = (name: string, value: number) => writeFileSync(join(folder, name), String(value));
  try {
    mkdirSync(folder);
    write('memory.max', memoryBytes);
    // All or nothing: what is left of a command whose part was ended would only be confused.
    write('memory.oom.group', 1);
    write('pids.max', processes);
    // Not every kernel counts what is swapped out.
    if (existsSync(join(folder, 'memory.swap.max'))) write('memory.swap.max', 0);
  } catch {
    remove();
    return undefined;
  }
  const counted = (file: string, name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(textOf(join(folder, file)))?.[1] ?? 0);
  return {
    processes: join(folder, 'cgroup.procs'),
    passed() {
      if (counted('memory.events', 'oom_kill') > 0) return 'memory';
      return counted('pids.events', 'max') > 0 ? 'processes' : undefined;
    },
    remove,
  };
}

const ENTER = 'echo 0 >"$1" || exit 1; shift; exec "$@"';

/** Puts the program in front of which it stands into the group. */
export function inCgroup(sh: string, { processes }: Cgroup, line: readonly string[]): string[] {
  return [sh, '-c', ENTER, 'sh', processes, ...line];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Of processes that were killed. */
export function removeAbandonedGroups(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    try {
      rmdirSync(join(parent, name));
    } catch {
      // Something still runs in it.
    }
  }
}

/** The parent, when a process can really be moved below it. */
export function findCgroups(sh: string, tree: CgroupTree = thisTree()): string | undefined {
  const parent = findParent(tree);
  if (parent === undefined) return undefined;
  try {
    removeAbandonedGroups(parent);
    const group = createCgroup(parent, { memoryBytes: 2 ** 26, processes: 8 });
    if (group === undefined) return undefined;
    const [file = '', ...line] = inCgroup(sh, group, [sh, '-c', ':']);
    const { status } = spawnSync(file, line, { env: {} });
    group.remove();
    return status === 0 ? parent : undefined;
  } catch {
    return undefined;
  }
}
