// Who writes what, as a tree of paths. Streams are put in one after the other; each asks first who
// before it writes something of the same. What a later stream covers completely is replaced by it,
// because whoever comes next has to wait for the later one anyway: so the number of edges stays in
// proportion to the number of entries, even when everybody owns the same file.
import { widened } from './patterns/pattern.ts';
import type { Pattern } from './patterns/pattern.ts';
import { patternsOverlap } from './patterns/overlap.ts';

interface Writer {
  owner: number;
  pattern: Pattern;
}

interface PathNode {
  children: Map<string, PathNode> | undefined;
  /** The last writer of exactly this file, of this whole tree, and of globs that begin here. */
  file: Writer | undefined;
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
  return { children: undefined, file: undefined, tree: undefined, globs: undefined };
}

export function createWriterIndex(globsSideBySide = GLOBS_SIDE_BY_SIDE): WriterIndex {
  const root = newNode();

  function test(writer: Writer | undefined, pattern: Pattern, found: (owner: number) => void) {
    if (writer && patternsOverlap(writer.pattern, pattern)) found(writer.owner);
  }

  function testGlobs(node: PathNode, pattern: Pattern, found: (owner: number) => void) {
    if (node.globs) for (const glob of node.globs.values()) test(glob, pattern, found);
  }

  /** The node of the pattern's literal beginning, made where missing; asks on the way. */
  function descend(pattern: Pattern, found: (owner: number) => void): PathNode {
    let node = root;
    for (let depth = 0; depth < pattern.literalCount; depth++) {
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
      test(node.file, pattern, found);
      test(node.tree, pattern, found);
      testGlobs(node, pattern, found);
      if (node.children) for (const child of node.children.values()) open.push(child);
    }
  }

  return {
    write(given, owner, found) {
      let pattern = given;
      let here = descend(pattern, found);
      const isTooMany = pattern.kind === 'glob' && (here.globs?.size ?? 0) >= globsSideBySide;
      if (isTooMany && !here.globs!.has(pattern.text)) {
        pattern = widened(pattern);
        here = descend(pattern, found);
      }
      const writer = { owner, pattern };
      if (pattern.kind === 'file') {
        test(here.file, pattern, found);
        test(here.tree, pattern, found);
        testGlobs(here, pattern, found);
        here.file = writer;
        return false;
      }
      askBelow(here, pattern, found);
      if (pattern.kind === 'glob') {
        (here.globs ??= new Map()).set(pattern.text, writer);
        return false;
      }
      here.tree = writer;
      here.children = undefined;
      here.globs = undefined;
      if (pattern.kind === 'either') here.file = writer;
      return pattern !== given;
    },
  };
}
