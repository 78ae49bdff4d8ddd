// Which files a stream could be shown: those that it was given, then the nearest ones.
import type { ContextDepth } from '../../manifest/model.ts';
import type { ContextRole } from '../../domain/run/context-files.ts';
import type { Snapshot } from '../../project/snapshots.ts';
import { namedFiles } from '../../project/named-files.ts';
import { isMadeByTools, isOnlyNamed } from '../../project/never-shown.ts';
import { packageFiles } from '../../project/package-files.ts';
import { rankAll, rankNeighbours } from '../../project/rank.ts';
import type { Ranked } from '../../project/rank.ts';
import { relatedFiles } from '../../project/related-files.ts';

export interface ContextRequest {
  owns: readonly string[];
  reads: readonly string[];
  plan: string;
  depth: ContextDepth;
  tokenBudget: number;
  /** Texts that the prompt shows anyway, by their paths: they are not shown twice. */
  known?: ReadonlyMap<string, string>;
}

export interface Candidate {
  path: string;
  role: ContextRole;
  /** Asked for by name: shown whatever the number of files. */
  isExact: boolean;
}

/** What a task is about: what it changes, else what it was given. */
export function nearOf(owned: readonly string[], given: readonly string[]): readonly string[] {
  return owned.length > 0 ? owned : given;
}

export function candidatesOf(
  { owns, reads, plan, depth }: ContextRequest,
  snapshot: Snapshot,
): Candidate[] {
  const { index, entries, graph } = snapshot;
  const found = new Map<string, Candidate>();
  const add = (path: string, role: ContextRole, isExact: boolean) => {
    if (!found.has(path)) found.set(path, { path, role, isExact });
  };
  for (const { path, isExact } of entries.filesOf(owns)) add(path, 'owned', isExact);
  for (const { path, isExact } of entries.filesOf(reads)) add(path, 'read', isExact);
  for (const path of namedFiles(plan, index)) if (!isOnlyNamed(path)) add(path, 'named', false);
  if (depth === 'minimal') return [...found.values()];
  const seeds = [...found.keys()];
  const toChange = seeds.filter((path) => found.get(path)?.role === 'owned');
  for (const path of packageFiles(nearOf(toChange, seeds), index)) add(path, 'package', false);
  for (const path of relatedFiles(toChange, index)) {
    if (!isOnlyNamed(path)) add(path, 'related', false);
  }
  const owned = toChange.filter((path) => index.has(path));
  const centre = nearOf(owned, seeds);
  const ranked: Ranked[] =
    depth === 'moderate'
      ? rankNeighbours(graph, seeds, centre, plan)
      : rankAll(snapshot.ranked(), centre, snapshot.words().scoresOf(plan));
  for (const { path, role } of ranked) {
    if (!isOnlyNamed(path) && !isMadeByTools(path)) add(path, role, false);
  }
  return [...found.values()];
}
