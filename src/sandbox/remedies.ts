// Why a sandbox cannot be had on this machine, and what to do about it.
export const NO_BACKEND = 'Sandboxes run on Linux and macOS only.';

export class SandboxUnavailableError extends Error {
  readonly code = 'SANDBOX_UNAVAILABLE';
  readonly exit = 'usage';

  constructor(message: string) {
    super(message);
    this.name = 'SandboxUnavailableError';
  }
}

export interface Machine {
  /** The text of a file of the machine, or undefined. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
}

const isOne = (text: string | undefined) => text?.trim() === '1';
const isZero = (text: string | undefined) => text?.trim() === '0';

function isContainer({ read, exists }: Machine): boolean {
  return (
    exists('/.dockerenv') ||
    exists('/run/.containerenv') ||
    /docker|kubepods|containerd|lxc/.test(read('/proc/1/cgroup') ?? '')
  );
}

/** The filter of system calls that this process runs under, if any. */
function isFiltered({ read }: Machine): boolean {
  return /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? '');
}

/** Of macOS, where one that is inside of a sandbox already cannot start another. */
export function refusedText(said: string): string {
  const last = said.trim().split('\n').at(-1) ?? '';
  return `sandbox-exec did not start a command${last === '' ? '' : ` (${last.slice(0, 300)})`}: run Millrace outside of any other sandbox.`;
}

/** `said` is what the trial printed. */
export function remedyOf(said: string, machine: Machine): string {
  const { read } = machine;
  if (isZero(read('/proc/sys/user/max_user_namespaces'))) {
    return 'User namespaces are switched off: sudo sysctl user.max_user_namespaces=10000, and the same line in /etc/sysctl.d to keep it.';
  }
  if (isZero(read('/proc/sys/kernel/unprivileged_userns_clone'))) {
    return 'User namespaces are for root alone: sudo sysctl kernel.unprivileged_userns_clone=1, and the same line in /etc/sysctl.d to keep it.';
  }
  if (isOne(read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'))) {
    return 'AppArmor keeps user namespaces from bubblewrap: install apparmor-profiles, link /usr/share/apparmor/extra-profiles/bwrap-userns-restrict into /etc/apparmor.d and reload it with sudo apparmor_parser -r, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0.';
  }
  if (isFiltered(machine) || isContainer(machine)) {
    return 'The container does not let processes create namespaces: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined (Docker, Podman), or run Millrace outside of it.';
  }
  const last = said.trim().split('\n').at(-1) ?? '';
  return `A sandbox could not be started${last === '' ? '' : ` (${last.slice(0, 300)})`}: the kernel needs user namespaces (CONFIG_USER_NS), and bubblewrap 0.8 or newer.`;
}
