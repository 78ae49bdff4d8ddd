// The arguments of bubblewrap. It reads them from a file, so that neither other users nor processes inside see
// where our folders are.
import { INSIDE } from '../inside.ts';
import { systemFolders } from './system-folders.ts';

export interface Binding {
  source: string;
  path: string;
  isReadOnly: boolean;
}

export interface View {
  /** Where the command runs. */
  folder: string;
  home: string;
  temp: string;
  /** In this order: the later ones lie above the earlier ones. */
  bindings: readonly Binding[];
  /** Empty inside, whatever is there outside. */
  emptied: readonly string[];
  /** A generated folder with passwd, group and hosts. */
  accounts: string;
  user: { uid: number; gid: number };
  /** Of shared memory, in bytes. */
  sharedMemory: number;
}

/** Files of /proc that are open to their owner, who is root when we are. */
const PROC_READ_ONLY = ['sys', 'bus', 'fs', 'irq', 'sysrq-trigger', 'acpi', 'scsi', 'asound'];
const PROC_EMPTY = ['kcore', 'keys', 'key-users', 'timer_list', 'sched_debug', 'latency_stats'];

function proc(exists: (path: string) => boolean): string[] {
  const present = (names: readonly string[]) =>
    names.map((name) => `/proc/${name}`).filter((path) => exists(path));
  return [
    '--proc',
    '/proc',
    ...present(PROC_READ_ONLY).flatMap((path) => ['--ro-bind', path, path]),
    ...present(PROC_EMPTY).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

export function bubblewrapArguments(view: View, exists: (path: string) => boolean): string[] {
  const { uid, gid } = view.user;
  return [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--uid',
    String(uid),
    '--gid',
    String(gid),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'sandbox',
    ...systemFolders(),
    ...['passwd', 'group', 'hosts'].flatMap((name) => [
      '--ro-bind',
      `${view.accounts}/${name}`,
      `/etc/${name}`,
    ]),
    ...proc(exists),
    '--dev',
    '/dev',
    '--size',
    String(view.sharedMemory),
    '--tmpfs',
    '/dev/shm',
    '--bind',
    view.temp,
    '/tmp',
    '--symlink',
    '/tmp',
    '/var/tmp',
    '--bind',
    view.home,
    INSIDE.home,
    ...view.bindings.flatMap(({ source, path, isReadOnly }) => [
      isReadOnly ? '--ro-bind' : '--bind',
      source,
      path,
    ]),
    ...view.emptied.flatMap((path) => ['--size', '4096', '--tmpfs', path, '--remount-ro', path]),
    // The folders that bubblewrap makes for itself are in memory, which would be written without a limit.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    view.folder,
  ];
}
