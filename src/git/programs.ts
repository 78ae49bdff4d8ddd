// Programs that a repository's own configuration names. A clone does not bring them along, but an archive does, and git
// would run them as the person. Those of the person's own configuration are the person's.
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { askGit, fieldsOf } from './git.ts';

/** By what is done. */
const NAMED = {
  commit: [
    String.raw`filter\..*\.(clean|smudge|process)`,
    // Of the filter for large files, which is often the person's own.
    String.raw`lfs\.(customtransfer\..*\.path|extension\..*\.(clean|smudge))`,
    String.raw`gpg\.(.*\.)?(program|defaultkeycommand)`,
  ],
  /** Commits of two branches are brought together. */
  merge: [String.raw`merge\..*\.driver`],
  push: [
    String.raw`core\.(sshcommand|askpass|gitproxy|alternaterefscommand)`,
    String.raw`credential\.(.*\.)?helper`,
    String.raw`remote\..*\.(uploadpack|receivepack|vcs)`,
  ],
} as const;
export type GitWork = keyof typeof NAMED;

interface Setting {
  /** Section and key in small letters, as git prints them. */
  name: string;
  value: string;
}

/** Also of files that are brought in on a condition: it may hold later, on the branch or in its folder. */
async function ownSettings(folder: string): Promise<Setting[]> {
  const places = ['--git-path', 'config', '--git-path', 'config.worktree'];
  const found = await askGit(folder, ['rev-parse', '--path-format=absolute', ...places]);
  const files = new Set(found?.split('\n').filter((file) => file !== ''));
  const settings: Setting[] = [];
  // What is added meanwhile is looked at, too.
  for (const file of files) {
    const asked = ['config', '--file', file, '--no-includes', '--list', '-z'];
    for (const field of fieldsOf((await askGit(folder, asked)) ?? '')) {
      const [name = '', ...value] = field.split('\n');
      settings.push({ name, value: value.join('\n') });
      if (/^include(if\..*)?\.path$/s.test(name)) files.add(included(file, value.join('\n')));
    }
  }
  return settings;
}

function included(by: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(by), path);
}

/**
 * What git starts for an address of the configuration: a program that it names, or for a folder the one that receives,
 * which runs the hooks over there.
 */
function startedFor({ name, value }: Setting): string | undefined {
  const [, base] = /^url\.(.*)\.(?:insteadof|pushinsteadof)$/s.exec(name) ?? [];
  const address = base ?? (/^remote\..*\.(url|pushurl)$/s.test(name) ? value : undefined);
  if (address === undefined) return undefined;
  if (/^[a-z0-9]+::/i.test(address)) return address;
  // Nothing is pushed to the address of a remote that is a folder.
  const isPushed = base !== undefined || name.endsWith('.pushurl');
  return isPushed && isFolder(address) ? `git receive-pack ${address}` : undefined;
}

/** As git sees it: no scheme of its own, and no colon before the first slash. */
const isFolder = (address: string) =>
  /^file:/i.test(address) || !/^([a-z0-9+.-]+:\/\/|[^/]*:)/i.test(address);

/** Objects are fetched when something needs them. */
const isPartial = ({ name }: Setting) =>
  name === 'extensions.partialclone' || /^remote\..*\.promisor$/s.test(name);

/** Also of the person's own: the one for large files has them sent by what the repository says. */
const hasFilters = async (folder: string): Promise<boolean> =>
  (await askGit(folder, ['config', '--includes', '--get-regexp', String.raw`^filter\.`])) !==
  undefined;

/** Git finds these on its own terms; a command of a manifest can be one of them, too, and means the same. */
export async function programsOfRepository(
  folder: string,
  work: readonly GitWork[] = ['commit'],
): Promise<string[]> {
  const settings = await ownSettings(folder);
  const reaches = work.includes('push') || settings.some(isPartial) || (await hasFilters(folder));
  const all = reaches ? new Set<GitWork>([...work, 'push']) : new Set(work);
  const pattern = new RegExp(`^(${[...all].flatMap((one) => NAMED[one]).join('|')})$`, 's');
  const programs = settings.flatMap((setting) => {
    if (pattern.test(setting.name)) return setting.value;
    return (reaches ? startedFor(setting) : undefined) ?? [];
  });
  return [...new Set(programs)].filter((program) => program !== '');
}
