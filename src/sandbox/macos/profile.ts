// What a sandboxed process on macOS may do, as a profile for sandbox-exec. Everything is denied that no rule allows, and
// of the rules that match the last one counts. The kernel compares real paths: /tmp is /private/tmp there.
import { dirname } from 'node:path';

export interface ProfileView {
  /** Where the command runs; real paths, here and below. */
  folder: { path: string; isReadOnly: boolean };
  home: string;
  temp: string;
  /** Folders and single files of tools. */
  readable: readonly string[];
  /** Ours: hidden even where the folder of the command has it inside. */
  stateFolder: string;
  /** Below our own state, and shown nevertheless. */
  shownOfState: readonly string[];
  /** On the loopback of this machine, which macOS does not divide. */
  ports: readonly number[];
  /** Whether anything may be reached at all: then certificates are judged by a service of the system. */
  hasNetwork: boolean;
}

const SYSTEM = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/libexec',
  '/usr/share',
  '/System/Library',
  '/System/Cryptexes',
  '/System/Volumes/Preboot/Cryptexes',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/Library/Frameworks',
  '/Library/Java',
  '/Applications/Xcode.app/Contents',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/private/var/select',
  // Of Homebrew the programs, but neither its data nor the settings of services.
  ...['/usr/local', '/opt/homebrew'].flatMap((root) => [
    ...['bin', 'sbin', 'lib', 'libexec', 'opt', 'share', 'include', 'Cellar', 'Frameworks'].map(
      (name) => `${root}/${name}`,
    ),
    `${root}/etc/ca-certificates`,
    `${root}/etc/openssl@3`,
  ]),
];

const OF_ETC = [
  'bashrc',
  'group',
  'hosts',
  'localtime',
  'passwd',
  'paths',
  'paths.d',
  'profile',
  'protocols',
  'services',
  'shells',
  'ssl',
  'zprofile',
  'zshenv',
  'zshrc',
].map((name) => `/private/etc/${name}`);

const DEVICES = ['null', 'zero', 'random', 'urandom'].map((name) => `/dev/${name}`);

/** Links at the root that paths are written with. */
const LINKS = ['/tmp', '/var', '/etc'];

/** What programs ask about the machine; not about other processes and their arguments. */
const SYSCTL = [
  'kern.argmax',
  'kern.bootargs',
  'kern.hostname',
  'kern.iossupportversion',
  'kern.maxfilesperproc',
  'kern.maxproc',
  'kern.ngroups',
  'kern.osproductversion',
  'kern.osrelease',
  'kern.ostype',
  'kern.osvariant_status',
  'kern.osversion',
  'kern.secure_kernel',
  'kern.usrstack64',
  'kern.version',
  'security.mac.lockdownmode_state',
  'sysctl.name2oid',
  'sysctl.proc_cputype',
  'vm.loadavg',
];

/** Names of users and groups, the log, and news of changed settings: what the C library itself asks for. */
const SERVICES = [
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
];
const OF_NETWORK = ['com.apple.trustd', 'com.apple.trustd.agent'];

/**
 * A string of the profile's language, which is a Scheme: a backslash escapes. Such a path could end its string and add a
 * rule otherwise. What cannot be written so is refused: a rule for another path would be worse than none.
 */
export function quoted(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    throw new Error(
      `A path with control characters cannot be in a sandbox: ${JSON.stringify(text)}`,
    );
  }
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

const filter = (kind: string, values: readonly string[]) =>
  values.map((value) => `\n  (${kind} ${quoted(value)})`).join('');
const subpaths = (paths: readonly string[]) => filter('subpath', paths);
const literals = (paths: readonly string[]) => filter('literal', paths);

/** A path is looked up folder by folder: what is on the way may be seen, but not listed. */
function foldersAbove(paths: readonly string[]): string[] {
  const above = new Set<string>(['/', ...LINKS]);
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.add(folder);
  }
  return [...above].toSorted();
}

export function sandboxProfile(view: ProfileView): string {
  const { folder, home, temp } = view;
  const tools = [...SYSTEM, ...OF_ETC, ...view.readable];
  const own = [home, temp, ...view.shownOfState];
  const shown = [...tools, folder.path, ...own];
  const written = [home, temp, ...(folder.isReadOnly ? [] : [folder.path])];
  const services = [...SERVICES, ...(view.hasNetwork ? OF_NETWORK : [])];
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    `(allow process-exec${subpaths(shown)})`,
    '(allow process-info* (target self))',
    '(allow process-info-pidinfo (target same-sandbox))',
    '(allow signal (target same-sandbox))',
    `(allow sysctl-read${filter('sysctl-name', SYSCTL)}\n  (sysctl-name-prefix "hw.")\n  (sysctl-name-prefix "machdep.cpu."))`,
    `(allow mach-lookup${filter('global-name', services)})`,
    // Locks between processes of Python.
    '(allow ipc-posix-sem)',
    '(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))',
    // The loader reads the root itself.
    `(allow file-read-data (literal "/"))`,
    `(allow file-read-metadata${literals(foldersAbove(shown))})`,
    `(allow file-read* file-write-data${literals(DEVICES)})`,
    '(allow file-read* (subpath "/dev/fd"))',
    `(allow file-read* file-map-executable${subpaths([...tools, folder.path])})`,
    `(allow file-write*${subpaths(written)})`,
    // After what could have it inside, and before what of it is shown.
    `(deny file* process-exec${subpaths([view.stateFolder])})`,
    `(allow file-read-metadata${literals(foldersAbove([...own, folder.path]))})`,
    `(allow file-read* file-map-executable process-exec${subpaths([...own, ...ofState(view)])})`,
    `(allow file-write*${subpaths([home, temp, ...(folder.isReadOnly ? [] : ofState(view))])})`,
    ...view.ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    '',
  ].join('\n');
}

/** A copy lies in our state. */
const ofState = ({ folder, stateFolder }: ProfileView): string[] =>
  folder.path.startsWith(`${stateFolder}/`) ? [folder.path] : [];

export function isInSystemFolder(path: string): boolean {
  return SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
