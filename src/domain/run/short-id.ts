// Ids as people type them: the beginning is enough when only one id begins so, and the part that says
// what kind of id it is may be left out.

export type IdMatch =
  | { kind: 'one'; id: string }
  | { kind: 'none' }
  | { kind: 'many'; ids: string[] };

export function matchId(ids: Iterable<string>, asked: string, prefix = ''): IdMatch {
  const all = [...ids];
  if (asked === '') return { kind: 'none' };
  const wanted = asked.startsWith(prefix) ? asked : prefix + asked;
  if (all.includes(wanted)) return { kind: 'one', id: wanted };
  const found = all.filter((id) => id.startsWith(wanted));
  if (found.length > 1) return { kind: 'many', ids: found };
  return found.length === 1 ? { kind: 'one', id: found[0]! } : { kind: 'none' };
}

/** Ids begin with the time they were made: shorter ones would soon name two of them. */
const SHORTEST = 'run_'.length + 10;

/** How much of the ids must be shown so that each differs from the others. */
export function shortLength(ids: readonly string[]): number {
  const sorted = [...ids].sort();
  let length = SHORTEST;
  for (const [at, id] of sorted.entries()) {
    const next = sorted[at + 1];
    while (
      next !== undefined &&
      length < id.length &&
      id.slice(0, length) === next.slice(0, length)
    )
      length += 1;
  }
  return length;
}
