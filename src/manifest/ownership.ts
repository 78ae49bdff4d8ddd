// Who writes what, as a tree of paths. Streams are put in one after the other; each asks first who
// before it writes something of the same. What a later stream covers completely is replaced by it,
// because the next one has to wait for the later one anyway: so the number of edges stays in
// proportion to the number of entries, even when everybody owns the same file.
import { filePattern, widened } from './patterns/pattern.ts';
import type { Pattern } from './patterns/pattern.ts';
import { patternsOverlap } from './patterns/overlap.ts';

interface Writer {
  owner: number;
  pattern: Pattern;
}

/** Of one file. Most entries are such, so no more is kept of them than is needed to ask about them. */
interface FileWriter {
  owner: number;
  path: string;
}

interface PathNode {
  children: Map<string, PathNode> | undefined;
  /** The last writers of exactly these files in it, by their names. */
  files: Map<string, FileWriter> | undefined;
  /** The last writer of this whole tree, and of globs that begin here. */
  tree: Writer | undefined;
  globs: Map<string, Writer> | undefined;
}

export interface WriterIndex {
  /**
   * Calls `found` for every earlier writer of something that the pattern names, possibly several
   * times, and makes `owner` the writer of it. Says whether it had to be taken as a whole folder.
   */
  write(pattern: Pattern, owner: number, found: (owner: number) => void): boolean;
}

/** With more globs side by side each would be held against all: from here on they are one folder. */
const GLOBS_SIDE_BY_SIDE = 500;

function newNode(): PathNode {
  return { children: undefined, files: undefined, tree: undefined, globs: undefined };
}

export function createWriterIndex(globsSideBySide = GLOBS_SIDE_BY_SIDE): WriterIndex {
  const root = newNode();

  function test(writer: Writer | undefined, pattern: Pattern, found: (owner: number) => void) {
    if (writer && patternsOverlap(writer.pattern, pattern)) found(writer.owner);
  }

  function testGlobs(node: PathNode, pattern: Pattern, found: (owner: number) => void) {
    if (node.globs) for (const glob of node.globs.values()) test(glob, pattern, found);
  }

  function testFile(
    writer: FileWriter | undefined,
    pattern: Pattern,
    found: (owner: number) => void,
  ) {
    if (writer && patternsOverlap(filePattern(writer.path), pattern)) found(writer.owner);
  }

  /** The node of the pattern's first names, made where missing; asks on the way. */
  function descend(pattern: Pattern, names: number, found: (owner: number) => void): PathNode {
    let node = root;
    for (let depth = 0; depth < names; depth++) {
      // Above its own place only whole trees and globs reach down to it.
      test(node.tree, pattern, found);
      testGlobs(node, pattern, found);
      const name = pattern.parts[depth]!;
      node.children ??= new Map();
      let child = node.children.get(name);
      if (child === undefined) node.children.set(name, (child = newNode()));
      node = child;
    }
    return node;
  }

  function askBelow(start: PathNode, pattern: Pattern, found: (owner: number) => void) {
    const open = [start];
    for (let node = open.pop(); node; node = open.pop()) {
      test(node.tree, pattern, found);
      testGlobs(node, pattern, found);
      if (node.files) for (const file of node.files.values()) testFile(file, pattern, found);
      if (node.children) for (const child of node.children.values()) open.push(child);
    }
  }

  function writeFile(pattern: Pattern, owner: number, found: (owner: number) => void): void {
    const { parts } = pattern;
    const folder = descend(pattern, parts.length - 1, found);
    test(folder.tree, pattern, found);
    testGlobs(folder, pattern, found);
    const name = parts.at(-1)!;
    const files = (folder.files ??= new Map());
    const before = files.get(name);
    if (before) found(before.owner);
    // Another stream may have taken the same name for a folder.
    const below = folder.children?.get(name);
    if (below) {
      test(below.tree, pattern, found);
      testGlobs(below, pattern, found);
    }
    files.set(name, { owner, path: pattern.text });
  }

  /** The folder above, unless the pattern covers everything. */
  function above({ parts, literalCount }: Pattern): { node: PathNode; name: string } | undefined {
    if (literalCount === 0) return undefined;
    let node: PathNode | undefined = root;
    for (let depth = 0; depth < literalCount - 1; depth++)
      node = node?.children?.get(parts[depth]!);
    return node && { node, name: parts[literalCount - 1]! };
  }

  return {
    write(given, owner, found) {
      if (given.kind === 'file') {
        writeFile(given, owner, found);
        return false;
      }
      let pattern = given;
      let here = descend(pattern, pattern.literalCount, found);
      const isTooMany = pattern.kind === 'glob' && (here.globs?.size ?? 0) >= globsSideBySide;
      if (isTooMany && !here.globs!.has(pattern.text)) {
        pattern = widened(pattern);
        here = descend(pattern, pattern.literalCount, found);
      }
      const writer = { owner, pattern };
      const folder = above(pattern);
      testFile(folder?.node.files?.get(folder.name), pattern, found);
      askBelow(here, pattern, found);
      if (pattern.kind === 'glob') {
        (here.globs ??= new Map()).set(pattern.text, writer);
        return false;
      }
      here.tree = writer;
      here.children = undefined;
      here.files = undefined;
      here.globs = undefined;
      // As a file it is this stream's now, too.
      if (pattern.kind === 'either' && folder) folder.node.files?.delete(folder.name);
      return pattern !== given;
    },
  };
}
