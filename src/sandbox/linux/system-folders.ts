// What of the system a sandboxed process sees, read-only. Of /etc by allow list: the rest of it holds
// passwords, host keys and the accounts of services.
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';

const TOP = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

const OF_ETC = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'fonts',
  'host.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'locale.conf',
  'localtime',
  'lsb-release',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'perl',
  'pki/ca-trust',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'pki/tls/openssl.cnf',
  'profile',
  'protocols',
  'services',
  'shells',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
  'static',
  'terminfo',
  'timezone',
];
/** Their folder has the version in its name. */
const OF_ETC_BY_SHAPE = /^(?:java|python|php|ruby|lua|openjdk)[\w.-]*$/;

function kindOf(path: string): 'link' | 'other' | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? 'link' : 'other';
  } catch {
    return undefined;
  }
}

/** A link stays a link: on machines where /bin is /usr/bin, a second mount would only hide that. */
function show(path: string): string[] {
  const kind = kindOf(path);
  if (kind === undefined) return [];
  return kind === 'link' && !path.startsWith('/etc/')
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind-try', path, path];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Arguments of bubblewrap. */
export function systemFolders(): string[] {
  const versioned = namesIn('/etc').filter((name) => OF_ETC_BY_SHAPE.test(name));
  return [
    ...TOP.flatMap(show),
    ...[...OF_ETC, ...versioned].flatMap((name) => show(`/etc/${name}`)),
  ];
}

/** Whether a path is below what `systemFolders` shows. */
export function isInSystemFolder(path: string): boolean {
  return TOP.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
