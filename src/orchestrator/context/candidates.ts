// Which files a stream could be shown, nearest first.
import type { ContextRole } from '../../domain/run/context-files.ts';
import type { ContextRequest } from './collect.ts';
import type { Look } from './looks.ts';
import { namedFiles } from './named-files.ts';
import { isMadeByTools, isSecret } from './never-shown.ts';
import { rankAll, rankNeighbours } from './rank.ts';
import type { Ranked } from './rank.ts';

export interface Candidate {
  path: string;
  role: ContextRole;
  /** Asked for by name: shown whatever the number of files. */
  isExact: boolean;
}

export function candidatesOf(
  { owns, reads, plan, depth }: ContextRequest,
  look: Look,
): Candidate[] {
  const { index, entries, graph } = look;
  const found = new Map<string, Candidate>();
  const add = (path: string, role: ContextRole, isExact: boolean) => {
    if (!found.has(path)) found.set(path, { path, role, isExact });
  };
  for (const { path, isExact } of entries.filesOf(owns)) add(path, 'owned', isExact);
  for (const { path, isExact } of entries.filesOf(reads)) add(path, 'read', isExact);
  for (const path of namedFiles(plan, index)) if (!isSecret(path)) add(path, 'named', false);
  if (depth === 'minimal') return [...found.values()];
  const seeds = [...found.keys()];
  const owned = seeds.filter((path) => found.get(path)?.role === 'owned' && index.has(path));
  const centre = owned.length > 0 ? owned : seeds;
  const ranked: Ranked[] =
    depth === 'moderate' ? rankNeighbours(graph, seeds, centre) : rankAll(look.ranked(), centre);
  for (const { path, role } of ranked) {
    if (!isSecret(path) && !isMadeByTools(path)) add(path, role, false);
  }
  return [...found.values()];
}
