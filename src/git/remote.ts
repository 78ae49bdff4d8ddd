// Where a repository is kept: which host and which project of it an address names.
import { askGit, git } from './git.ts';

const THERE = { reachesOthers: true };

export interface RemotePlace {
  host: string;
  /** owner/name, or group/subgroup/name. */
  path: string;
}

/** git@host:owner/name.git */
function partsOfShort(address: string): { host: string; path: string } | undefined {
  const at = address.indexOf(':');
  const [head, path] = [address.slice(0, at), address.slice(at + 1)];
  // A folder can have a colon in its name, and a drive is one letter.
  if (at < 2 || head.includes('/') || path.startsWith('/') || path.startsWith('\\'))
    return undefined;
  return { host: head.slice(head.indexOf('@') + 1).toLowerCase(), path };
}

function partsOfUrl(address: string): { host: string; path: string } | undefined {
  const url = URL.parse(address);
  if (url === null || !/^(https?|ssh|git):$/.test(url.protocol)) return undefined;
  // An address by ssh names the port of ssh.
  return { host: url.protocol === 'ssh:' ? url.hostname : url.host, path: url.pathname };
}

/** Undefined for what is no address of a host: a folder, for example. */
export function placeOfRemote(address: string): RemotePlace | undefined {
  const parts = address.includes('://') ? partsOfUrl(address) : partsOfShort(address);
  if (parts === undefined || parts.host === '') return undefined;
  const names = parts.path.split('/').filter((name) => name !== '');
  const last = names.pop()?.replace(/\.git$/, '');
  if (last === undefined || last === '' || names.length === 0) return undefined;
  return { host: parts.host, path: decoded([...names, last].join('/')) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * What `git push` would use, then what the configuration says: the person may have git go another way to the same place.
 * Empty where there is no such remote.
 */
export async function addressesOf(folder: string, remote: string): Promise<string[]> {
  const used = await askGit(folder, ['remote', 'get-url', '--push', '--', remote]);
  const said = await askGit(folder, ['config', '--get', `remote.${remote}.url`]);
  return [used, said].flatMap((address) => (address === undefined ? [] : [address.trim()]));
}

export async function remotesOf(folder: string): Promise<string[]> {
  return (await git(folder, ['remote'])).split('\n').filter((name) => name !== '');
}

/** The commit that a branch is at over there; undefined where there is none. */
export async function remoteTip(
  folder: string,
  remote: string,
  branch: string,
): Promise<string | undefined> {
  const listed = await git(folder, ['ls-remote', '--', remote, `refs/heads/${branch}`], THERE);
  return listed.split('\t')[0]?.trim() || undefined;
}

/** Brings the branch here, and says at which commit it is. */
export async function fetchBranch(folder: string, remote: string, branch: string): Promise<string> {
  const to = `refs/millrace/${remote}/${branch}`;
  const how = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  await git(folder, ['fetch', ...how, '--', remote, `+refs/heads/${branch}:${to}`], THERE);
  return (await git(folder, ['rev-parse', to])).trim();
}

/** Only while the branch over there is at `expected`; null: while there is none. */
export async function pushBranch(
  folder: string,
  {
    remote,
    branch,
    commit,
    expected,
  }: { remote: string; branch: string; commit: string; expected: string | null },
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const how = [
    '--quiet',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
  ];
  await git(folder, ['push', ...how, lease, '--', remote, `${commit}:${ref}`], THERE);
}

/** A password of the person's own credential helper; undefined where there is none. */
export async function passwordFor(folder: string, host: string): Promise<string | undefined> {
  const input = `protocol=https\nhost=${host}\n\n`;
  const env = { GIT_ASKPASS: 'true', SSH_ASKPASS: 'true' };
  const said = await askGit(folder, ['credential', 'fill'], { input, env });
  return said?.match(/^password=(.+)$/m)?.[1];
}
