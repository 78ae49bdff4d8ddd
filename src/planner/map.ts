// The map of a repository that a plan is made from: what the project is made of, the files that the task is about with
// their outlines and imports, and a list of the rest. It fits into a fixed number of tokens, however large the project.
import { estimateTokenCount } from 'tokenx';
import { mapFileLines, mapLines } from '../domain/prompt/map-lines.ts';
import { breakDirectives } from '../domain/prompt/prompt-text.ts';
import { createFileLister } from '../project/file-list.ts';
import { saysGenerated } from '../project/made-elsewhere.ts';
import { outlineOf } from '../project/outline/outline.ts';
import { packageFiles } from '../project/package-files.ts';
import type { FileReader } from '../project/project-file.ts';
import { toProjectTree } from '../project/project-tree.ts';
import type { Snapshot } from '../project/snapshots.ts';
import { createTimeSlice } from '../project/time-slice.ts';
import { isShown, rankFiles } from './rank-files.ts';

export interface RepositoryMap {
  text: string;
  tokens: number;
  /** Files of the project that may be shown. */
  files: number;
  /** Those that have a place of their own, the nearest first. */
  outlined: readonly string[];
}

export const MAP_TOKENS = 30_000;
const LISTING_SHARE = 0.2;
const PACKAGES_SHARE = 0.1;
/** Tokens of the outline of one file. */
const MOST_OF_NAMED = 1500;
const MOST_OF_OTHERS = 300;
/** What there is no room for at the end is not looked for any further. */
const LEAST_TOKENS = 40;
const MOST_NAMES = 8;

interface Room {
  left: number;
}

/** Undefined where there is no room for it. */
function take(room: Room, text: string): string | undefined {
  const tokens = estimateTokenCount(text);
  if (tokens > room.left) return undefined;
  room.left -= tokens;
  return text;
}

/** As many whole lines as fit. */
function firstLines(text: string, maxTokens: number): string {
  const lines: string[] = [];
  let left = maxTokens;
  for (const line of text.split('\n')) {
    left -= estimateTokenCount(line) + 1;
    if (left < 0) break;
    if (line.trim() !== '') lines.push(`  ${line}`);
  }
  return lines.join('\n');
}

function fileLines(path: string, { graph }: Snapshot, outline: string): string {
  const imports = (graph.imports.get(path) ?? []).filter(isShown);
  const more = imports.length > MOST_NAMES ? ` and ${imports.length - MOST_NAMES} more` : '';
  const shown = imports.slice(0, MOST_NAMES);
  if (more !== '') shown.push(`${shown.pop()}${more}`);
  const importers = graph.importers.get(path)?.length ?? 0;
  return mapFileLines({ path, imports: shown, importers, outline });
}

export async function makeMap(
  task: string,
  { snapshot, reader }: { snapshot: Snapshot; reader: FileReader },
  maxTokens = MAP_TOKENS,
): Promise<RepositoryMap> {
  const slice = createTimeSlice();
  const ranked = rankFiles(task, snapshot);
  const named = new Set(ranked.named);
  // The headings take a little as well, and a text has somewhat more tokens than its parts.
  const room = { left: maxTokens * 0.96 - 100 };

  const tree = toProjectTree(snapshot.index.files.filter(isShown));
  const near = ranked.files.slice(0, 20);
  const listed = createFileLister().list(tree, near, maxTokens * LISTING_SHARE);
  const listing = (listed && take(room, listed.text)) ?? '';

  const packages: string[] = [];
  const shownAsPackage = new Set<string>();
  const packageRoom = { left: Math.min(room.left, maxTokens * PACKAGES_SHARE) };
  for (const path of packageFiles(near, snapshot.index)) {
    const file = reader.read(path);
    if (file.kind !== 'text') continue;
    const shown = firstLines(outlineOf(path, file.text) ?? file.text, packageRoom.left);
    const text = take(packageRoom, `${path}\n${shown}`);
    if (text === undefined || take(room, text) === undefined) continue;
    packages.push(text);
    shownAsPackage.add(path);
  }

  const outlined: string[] = [];
  const outlines: string[] = [];
  for (const path of ranked.files) {
    if (room.left < LEAST_TOKENS) break;
    if (slice.isOver()) await slice.next();
    const file = reader.read(path);
    if (file.kind !== 'text' || saysGenerated(file.text)) continue;
    const most = named.has(path) ? MOST_OF_NAMED : MOST_OF_OTHERS;
    const isSaid = shownAsPackage.has(path);
    const outline = isSaid ? '' : firstLines(outlineOf(path, file.text) ?? '', most);
    const text =
      take(room, fileLines(path, snapshot, outline)) ?? take(room, fileLines(path, snapshot, ''));
    if (text === undefined) continue;
    outlines.push(text);
    outlined.push(path);
  }

  // What a file says is data: nothing in it may steer a simulated model.
  const text = breakDirectives(mapLines({ packages, files: outlines, listing }));
  return { text, tokens: estimateTokenCount(text), files: tree.get('')!.count, outlined };
}
