// The known name that the author most likely meant.

const MAX_LENGTH = 128;

/** Letters to add, drop, change or swap to get from one to the other; `limit + 1` if more. */
function distance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      next.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** Work that is left for suggestions: a manifest full of unknown names must not take minutes. */
export interface NearestBudget {
  cells: number;
}

export const createNearestBudget = (): NearestBudget => ({ cells: 4_000_000 });

export function nearestName(
  name: string,
  known: Iterable<string>,
  budget: NearestBudget = createNearestBudget(),
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const lower = name.toLowerCase();
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    if (budget.cells <= 0) break;
    budget.cells -= 1;
    if (candidate === name || Math.abs(candidate.length - name.length) > limit) continue;
    budget.cells -= candidate.length * name.length;
    const found = distance(lower, candidate.toLowerCase(), bestDistance - 1);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}
