// What steers the resolution of names beside the files that are named: configuration in the project
// and above it, installed packages (those of a workspace are links to folders of the project), and
// links, which give other names to files and folders.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isUnchanged, stampOf } from '../../platform/file-stamp.ts';
import type { Stamp } from '../../platform/file-stamp.ts';
import type { Listing } from '../walk.ts';
import { keyOfPath } from './change-key.ts';
import { factsOf } from './config-facts.ts';
import type { ConfigFacts } from './config-facts.ts';

export interface Configs {
  /** Whether names can mean something else now, although no file came or went. */
  hasChanged(listing: Listing): boolean;
  /** Whether after a change of these keys any name can mean something else. */
  matterToAll(keys: Iterable<string>): boolean;
}

interface Known {
  /** None when there is no such file. */
  stamp?: Stamp;
  sha256: string;
  facts: ConfigFacts;
  /** Folders with packages in them, of a folder with packages. */
  scopes: readonly string[];
}

const NO_FACTS: ConfigFacts = { keys: new Set(), isOpen: false, parts: [] };
const MISSING: Known = { sha256: '', facts: NO_FACTS, scopes: [] };
const CONFIG = /(?:^|\/)(?:package\.json|[^/]*(?:ts|js)config[^/]*\.json)$/i;
const PACKAGES = 'node_modules';

function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Where it leads to. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The names of installed packages; one may be a link to a folder of the project. */
function readPackages(root: string, folder: string): Omit<Known, 'stamp'> {
  const names: string[] = [];
  const scopes: string[] = [];
  const keys = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('@')) scopes.push(join(folder, name));
    const to = entry.isSymbolicLink() ? linkOf(join(folder, name)) : undefined;
    names.push(`${name} -> ${to ?? ''}`);
    // Its index stands for it, whatever the name of the package is.
    if (to !== undefined)
      keys.add(keyOfPath(relative(root, resolve(folder, to, 'index')).replaceAll('\\', '/')));
  }
  return { sha256: sha256Of(names.sort().join('\n')), facts: { ...NO_FACTS, keys }, scopes };
}

function read(root: string, path: string, before: Known): Known {
  try {
    const lookedAt = Date.now();
    const about = statSync(path, { throwIfNoEntry: false });
    if (about === undefined) return MISSING;
    if (before.stamp && isUnchanged(before.stamp, about)) return before;
    const stamp = stampOf(about, lookedAt);
    if (about.isDirectory()) {
      return { stamp, ...readPackages(root, path) };
    }
    const bytes = readFileSync(path);
    const sha256 = sha256Of(bytes);
    if (sha256 === before.sha256) return { ...before, stamp };
    return { stamp, sha256, facts: factsOf(root, path, bytes.toString('utf8')), scopes: [] };
  } catch {
    return MISSING;
  }
}

function namesAbove(root: string): string[] {
  const found: string[] = [];
  for (let at = root; at !== dirname(at); at = dirname(at)) {
    for (const name of ['package.json', 'tsconfig.json', PACKAGES]) {
      found.push(join(dirname(at), name));
    }
  }
  return found;
}

export function createConfigs(root: string): Configs {
  const above = namesAbove(root);
  let known = new Map<string, Known>();
  let links = '';
  let of: { listing: Listing; paths: readonly string[] } | undefined;

  function pathsOf(listing: Listing): readonly string[] {
    if (of?.listing !== listing) {
      const own = listing.files.filter((path) => path.endsWith('.json') && CONFIG.test(path));
      const packages = listing.packageFolders.map((folder) => folder + PACKAGES);
      const paths = [...above, ...[...own, ...packages].map((path) => join(root, path))];
      of = { listing, paths };
    }
    return of.paths;
  }

  return {
    hasChanged(listing) {
      const now = new Map<string, Known>();
      const open = [...pathsOf(listing)];
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        if (now.has(path)) continue;
        const one = read(root, path, known.get(path) ?? MISSING);
        now.set(path, one);
        open.push(...one.facts.parts, ...one.scopes);
      }
      const before = { known, links };
      known = now;
      links = listing.links.map((path) => `${path} -> ${linkOf(join(root, path))}`).join('\n');
      if (before.known.size !== now.size || before.links !== links) return true;
      return [...now].some(([path, { sha256 }]) => before.known.get(path)?.sha256 !== sha256);
    },
    matterToAll(keys) {
      const facts = [...known.values()].map((one) => one.facts);
      if (facts.some(({ isOpen }) => isOpen)) return true;
      return [...keys].some((key) => facts.some((each) => each.keys.has(key)));
    },
  };
}
