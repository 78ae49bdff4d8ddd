// What a runner says of its projects: nothing of their files but the names of manifests.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_NAME_PATTERN } from '../contract/run-request-api.ts';
import type { NewRunner } from '../contract/runner-api.ts';
import { askGit, fieldsOf } from '../git/git.ts';
import type { GitCall } from '../git/git.ts';
import { inBare, openClone } from './clones.ts';
import type { AllowedProject } from './runner-file.ts';

type Facts = NewRunner['projects'][number];

const MOST_MANIFESTS = 100;
/** Anything that a line of a terminal or a page would take otherwise. */
const isLine = (text: string, max: number) =>
  text.length <= max && text.isWellFormed() && !/\p{Cc}/u.test(text);

const lineOf = (text: string | undefined, max: number): string | null => {
  const line = text?.trim() ?? '';
  return line !== '' && isLine(line, max) ? line : null;
};

/** Without a name or a password in it. */
function withoutCredentials(address: string | undefined): string | null {
  const line = lineOf(address, 1000);
  if (line === null) return null;
  const url = URL.parse(line);
  if (url === null) return line;
  url.username = '';
  url.password = '';
  return url.href;
}

async function manifestsAt(folder: string, commit: string, call: GitCall): Promise<string[]> {
  const listed = await askGit(
    folder,
    ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit],
    call,
  );
  const isManifest = (path: string) =>
    /(?:^|\/)(?:[\w.-]*\.)?millrace\.ya?ml$/.test(path) ||
    /^\.millrace\/[\w./-]+\.ya?ml$/.test(path);
  return fieldsOf(listed ?? '')
    .filter((path) => isManifest(path) && isLine(path, 500))
    .slice(0, MOST_MANIFESTS);
}

export async function factsOf(
  name: string,
  project: AllowedProject,
  { stateHome, sandboxRemedy }: { stateHome: string; sandboxRemedy: string | undefined },
): Promise<Facts> {
  const { path, repo, inPlace, commands } = project;
  const missing: NonNullable<Facts['missing']> = [];
  if (commands === 'sandbox' && sandboxRemedy !== undefined) {
    missing.push({ what: 'A sandbox for its commands', remedy: lineOf(sandboxRemedy, 500) });
  }
  const known = { name, inPlace: inPlace && path !== undefined, commands };
  const folder = path ?? openClone(stateHome, name, { address: repo! }).bare;
  const ref = path === undefined ? 'refs/remotes/origin/HEAD' : 'HEAD';
  const isThere = existsSync(path === undefined ? join(folder, 'HEAD') : join(folder, '.git'));
  if (!isThere) {
    if (path !== undefined) {
      missing.push({ what: 'Its folder is gone, or is no git repository', remedy: null });
    }
    return { ...known, remote: withoutCredentials(repo), missing };
  }
  const call = path === undefined ? inBare(folder) : {};
  const head = lineOf(await askGit(folder, ['rev-parse', '--verify', '--quiet', ref], call), 64);
  const branch = await askGit(folder, ['symbolic-ref', '--quiet', '--short', ref], call);
  const remote = repo ?? (await askGit(folder, ['remote', 'get-url', 'origin']));
  return {
    ...known,
    head,
    branch: lineOf(branch?.replace(/^origin\//, ''), 250),
    remote: withoutCredentials(remote),
    manifests: head === null ? [] : await manifestsAt(folder, head, call),
    missing,
  };
}

/** A folder or an address, with or without a name of one's own: `~/code/shop=web-shop`. */
export function nameOf(place: string): { place: string; name: string } | undefined {
  const [, given, own] = /^(.*)=([^=/]+)$/s.exec(place) ?? [];
  if (given !== undefined && own !== undefined) {
    return PROJECT_NAME_PATTERN.test(own) ? { place: given, name: own } : undefined;
  }
  const last =
    place
      .split(/[/:\\]/)
      .findLast((part) => part !== '')
      ?.replace(/\.git$/, '') ?? '';
  const name = last
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return PROJECT_NAME_PATTERN.test(name) ? { place, name } : undefined;
}
