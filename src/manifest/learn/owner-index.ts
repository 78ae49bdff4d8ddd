// Who owns what, as a tree of paths that remembers everybody (the plan's own index forgets owners
// that later ones cover). A question costs the depth of a path for a file, and what lies below for a
// folder or a glob.
import type { Pattern } from '../patterns/pattern.ts';
import { patternsOverlap } from '../patterns/overlap.ts';
import { readPattern, segmentsOf } from '../patterns/pattern.ts';
import { nextPlaces, startPlaces } from './glob-states.ts';
import { isPlainFile } from './plain-path.ts';

interface OwnedPattern {
  owner: number;
  pattern: Pattern;
}

interface PathNode {
  path: string;
  name: string;
  parent: PathNode | undefined;
  children: PathNode[] | undefined;
  /** Owners of exactly this file. */
  files: number[] | undefined;
  /** Folders, entries that may be a folder, and globs whose literal part ends here. */
  wider: OwnedPattern[] | undefined;
}

function newNode(path: string, name: string, parent: PathNode | undefined): PathNode {
  return { path, name, parent, children: undefined, files: undefined, wider: undefined };
}

function prefixOf({ parts, literalCount }: Pattern): string {
  return parts.slice(0, literalCount).join('/');
}

/** The patterns of an entry; none if it makes no sense, which is the validation's business. */
function patternsOfEntry(entry: string): Pattern[] {
  const read = readPattern(entry);
  return read.kind === 'patterns' ? read.patterns : [];
}

const NOBODY: readonly number[] = [];

export interface OwnerIndex {
  /** Owners come in the order of their numbers. */
  insert(entry: string, owner: number): void;
  /** Everybody whose entries overlap this one, by number, each once. */
  ownersOf(entry: string): readonly number[];
}

export function createOwnerIndex(): OwnerIndex {
  const root = newNode('', '', undefined);
  const nodes = new Map<string, PathNode>([['', root]]);
  // Entries repeat: a manifest reads what it owns, and the same few files again and again.
  const known = new Map<string, readonly number[]>();

  function nodeAt(path: string): PathNode {
    const found = nodes.get(path);
    if (found) return found;
    const slash = path.lastIndexOf('/');
    const parent = slash < 0 ? root : nodeAt(path.slice(0, slash));
    const node = newNode(path, path.slice(slash + 1), parent);
    (parent.children ??= []).push(node);
    nodes.set(path, node);
    return node;
  }

  /** The node of a path or of the nearest folder above it in which a stream owns something. */
  function nearest(path: string): PathNode {
    let rest = path;
    for (;;) {
      const node = nodes.get(rest);
      if (node) return node;
      const slash = rest.lastIndexOf('/');
      rest = slash < 0 ? '' : rest.slice(0, slash);
    }
  }

  function askFile(path: string, found: (owner: number) => void): void {
    const here = nearest(path);
    if (here.path === path) for (const owner of here.files ?? []) found(owner);
    let pattern: Pattern | undefined;
    for (let node: PathNode | undefined = here; node; node = node.parent) {
      if (node.wider === undefined) continue;
      for (const { owner, pattern: owned } of node.wider) {
        const isAbove = node.path !== path && owned.kind !== 'glob';
        pattern ??= isAbove ? undefined : patternsOfEntry(path)[0];
        if (isAbove || (pattern && patternsOverlap(owned, pattern))) found(owner);
      }
    }
  }

  function askAbove(from: PathNode, pattern: Pattern, found: (owner: number) => void): void {
    for (let node: PathNode | undefined = from; node; node = node.parent) {
      for (const { owner, pattern: owned } of node.wider ?? []) {
        if (patternsOverlap(owned, pattern)) found(owner);
      }
    }
  }

  /** A folder has all that begins below it, whatever that is. */
  function takeBelow(from: PathNode, found: (owner: number) => void): void {
    const open = [...(from.children ?? [])];
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.files) for (const owner of node.files) found(owner);
      if (node.wider) for (const { owner } of node.wider) found(owner);
      if (node.children) for (const child of node.children) open.push(child);
    }
  }

  function askBelow(from: PathNode, pattern: Pattern, found: (owner: number) => void): void {
    if (pattern.kind !== 'glob') {
      if (pattern.kind === 'either') for (const owner of from.files ?? []) found(owner);
      takeBelow(from, found);
      return;
    }
    const segments = segmentsOf(pattern);
    const open = [{ node: from, places: startPlaces(segments, pattern.literalCount) }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { node, places } = next;
      if (places.includes(segments.length)) for (const owner of node.files ?? []) found(owner);
      if (node !== from) {
        for (const { owner, pattern: owned } of node.wider ?? []) {
          if (patternsOverlap(owned, pattern)) found(owner);
        }
      }
      for (const child of node.children ?? []) {
        const below = nextPlaces(segments, places, child.name);
        if (below.length > 0) open.push({ node: child, places: below });
      }
    }
  }

  /** Of a file that nobody has by a folder or a glob: most are asked for like that. */
  function ownersOfFileAlone(path: string): readonly number[] | undefined {
    const here = nearest(path);
    for (let node: PathNode | undefined = here; node; node = node.parent) {
      if (node.wider !== undefined) return undefined;
    }
    return here.path === path && here.files !== undefined ? here.files : NOBODY;
  }

  function ask(entry: string): readonly number[] {
    const isFile = isPlainFile(entry);
    const alone = isFile ? ownersOfFileAlone(entry) : undefined;
    if (alone !== undefined) return alone;
    const owners = new Set<number>();
    const found = (owner: number) => void owners.add(owner);
    if (isFile) askFile(entry, found);
    else {
      for (const pattern of patternsOfEntry(entry)) {
        const prefix = prefixOf(pattern);
        if (pattern.kind === 'file') {
          askFile(prefix, found);
          continue;
        }
        const node = nearest(prefix);
        askAbove(node, pattern, found);
        if (node.path === prefix) askBelow(node, pattern, found);
      }
    }
    return [...owners].sort((a, b) => a - b);
  }

  function addFile(node: PathNode, owner: number): void {
    node.files ??= [];
    if (node.files.at(-1) !== owner) node.files.push(owner);
  }

  return {
    insert(entry, owner) {
      if (isPlainFile(entry)) {
        addFile(nodeAt(entry), owner);
        return;
      }
      for (const pattern of patternsOfEntry(entry)) {
        const node = nodeAt(prefixOf(pattern));
        if (pattern.kind === 'file') addFile(node, owner);
        else (node.wider ??= []).push({ owner, pattern });
      }
    },

    ownersOf(entry) {
      const before = known.get(entry);
      if (before) return before;
      const owners = ask(entry);
      known.set(entry, owners);
      return owners;
    },
  };
}
