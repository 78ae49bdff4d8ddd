// How a sandbox is started: a chain in which each program becomes the next.
//
// 0. A shell that enters a control group, where the user may create one.
// 1. `unshare`: a mount namespace, and unless we are root with all rights a user namespace. A shell mounts
//    the overlays there: this version of bubblewrap and those before it cannot.
// 2. `setpriv`: the kernel ends the rest when we end, however that happens. (Becoming another user, as in
//    step 1, would undo that; and if we ended before, a shell that compares its parent sees it.)
// 3. `unshare`: an outer process namespace. Its first process takes all others with it, also what
//    detached itself. Kernels from 6.14 keep its own greatest process number, which bounds a fork bomb even
//    where it runs as root, whom the limits of users do not hold.
// 4. `bwrap`: all that a process inside sees.
// 5. `prlimit`, inside: the limits of the user of the new namespace, then the command.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { release } from 'node:os';
import type { Limits } from '../limits.ts';
import type { Programs } from './programs.ts';

/** With whose rights overlays are mounted. */
export type MountRights = 'root' | 'user';

/** `name` is plain and below the work folder: it has `lower`, `upper`, `work` and `merged` in it. */
export interface OverlayMount {
  name: string;
  /** Folders of ours that it lies above, called as `name` is; the uppermost first. */
  layers: readonly string[];
  /** A folder of the person's below them, wherever it is. */
  above?: string;
}

export interface Launch {
  programs: Programs;
  rights: MountRights;
  /** Where the overlays are mounted. */
  workFolder: string;
  overlays: readonly OverlayMount[];
  /** Of bubblewrap, or another program that runs where the overlays are. */
  line: readonly string[];
  environment: Readonly<Record<string, string>>;
}

// Options name paths relative to the folder: those of a person may hold commas and colons, which the
// kernel would take for the end of the option.
const MOUNT = String.raw`
cd "$1" || exit 1
mount=$2 count=$3
shift 3
while [ "$count" -gt 0 ]; do
  [ -z "$1" ] || "$mount" --rbind "$1" "$2/lower" || exit 1
  "$mount" -t overlay -o "userxattr,lowerdir=$3,upperdir=$2/upper,workdir=$2/work" overlay "$2/merged" || exit 1
  shift 3
  count=$((count - 1))
done
cd / && unset OLDPWD && exec "$@"
`;
const SAME_PARENT = '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"';
const BOUND_PROCESSES =
  '[ "$1" = 0 ] || echo "$1" >/proc/sys/kernel/pid_max || exit 1; shift; exec "$@"';

/** The chain up to the mounts; the line runs where the overlays are. */
export function mountLine({ programs, rights, workFolder, overlays, line }: Launch): string[] {
  const { unshare, sh, mount } = programs;
  const enter = rights === 'user' ? ['-U', '-r', '-m', '--'] : ['-m', '--'];
  const mounts = overlays.flatMap(({ name, layers, above }) => {
    const lower = above === undefined ? layers : [...layers, `${name}/lower`];
    return [above ?? '', name, lower.join(':')];
  });
  return [
    unshare,
    ...enter,
    sh,
    '-c',
    MOUNT,
    'sh',
    workFolder,
    mount,
    String(overlays.length),
    ...mounts,
    ...line,
  ];
}

/** Process numbers below this are not given out again after the first round. */
const RESERVED = 300;
/** bubblewrap and its first process inside. */
export const OVERHEAD = 8;
/** Between a limit and the kernel's own, so that the watch gets to name the one that was passed. */
const HEADROOM_BYTES = 1024 ** 3;

/**
 * The greatest process number for a limit, or 0 where the kernel keeps one for the whole machine. Asking by
 * version is the safe way round: on older kernels the write would change the machine's own.
 */
export function processNumbers(limit: number, kernel: string = release()): number {
  const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
  const isOwn = major > 6 || (major === 6 && minor >= 14);
  return isOwn ? limit + RESERVED + OVERHEAD : 0;
}

/** From step 2 on. */
export function endsWithUs(programs: Programs, limit: number, line: readonly string[]): string[] {
  const { setpriv, sh, unshare } = programs;
  return [
    setpriv,
    '--pdeathsig',
    'SIGKILL',
    '--',
    sh,
    '-c',
    SAME_PARENT,
    'sh',
    String(process.pid),
    unshare,
    '-p',
    '--fork',
    '--kill-child=SIGKILL',
    '--',
    sh,
    '-c',
    BOUND_PROCESSES,
    'sh',
    String(processNumbers(limit)),
    ...line,
  ];
}

/** Step 5. The kernel's limits hold for one process, or for all of a user, between two readings of the watch. */
export function limitedLine(programs: Programs, limits: Limits, command: readonly string[]) {
  const { memoryBytes, diskBytes, processes } = limits;
  return [
    programs.prlimit,
    `--data=${memoryBytes + Math.max(memoryBytes / 2, HEADROOM_BYTES)}`,
    `--fsize=${diskBytes + HEADROOM_BYTES}`,
    `--nproc=${processes + RESERVED + OVERHEAD}`,
    '--core=0',
    '--',
    ...command,
  ];
}

/** Descriptors that our own parent left open for us, and that a child would get from us. */
function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    const info = readOr(`/proc/self/fdinfo/${name}`);
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8);
    return Number(name) > 2 && (flags & CLOSE_ON_EXEC) === 0 ? [Number(name)] : [];
  });
}

const CLOSE_ON_EXEC = 0o2000000;

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Descriptor 3 is the report of bubblewrap, 4 the filter of system calls, 5 its arguments. */
export function startLine(
  launch: Launch,
  extra: readonly ('pipe' | number)[] = [],
  enter: (chain: string[]) => string[] = (chain) => chain,
): ChildProcess {
  const [file = '', ...line] = enter(mountLine(launch));
  const none = openSync('/dev/null', 'r');
  const stdio: ('pipe' | number)[] = ['pipe', 'pipe', 'pipe', ...extra];
  // One of them may be a folder that is not visible inside, and a way into it.
  for (const descriptor of inheritedDescriptors()) {
    while (stdio.length <= descriptor) stdio.push(none);
  }
  try {
    return spawn(file, line, {
      cwd: '/',
      env: launch.environment,
      stdio,
      // A group of its own: ctrl-c at our terminal is ours to answer.
      detached: true,
    });
  } finally {
    closeSync(none);
  }
}
