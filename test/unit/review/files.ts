// Files of a review, as the server lists them.
import type { ReviewFileSummary, ReviewHunk } from '../../../src/contract/review-api.ts';

export const idOf = (name: string) =>
  Buffer.from(name).toString('hex').padEnd(16, '0').slice(0, 16);

export function hunk(name: string, place: Partial<ReviewHunk> = {}): ReviewHunk {
  return { id: idOf(name), kind: 'lines', oldFrom: 0, oldTo: 1, newFrom: 0, newTo: 1, ...place };
}

/** With two parts that can be decided one by one. */
export function splittable(name: string): ReviewHunk {
  const parts = ['1', '2'].map((part) => {
    const { id, oldFrom, oldTo, newFrom, newTo } = hunk(`${name}${part}`);
    return { id, oldFrom, oldTo, newFrom, newTo };
  });
  return hunk(name, { parts });
}

export function file(path: string, more: Partial<ReviewFileSummary> = {}): ReviewFileSummary {
  return {
    path,
    position: 0,
    kind: 'edit',
    renamedFrom: null,
    streams: ['api'],
    isBinary: false,
    isSteering: false,
    additions: 1,
    deletions: 1,
    size: 1,
    hunks: [hunk(path)],
    ...more,
  };
}
