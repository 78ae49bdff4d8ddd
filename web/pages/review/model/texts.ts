// The texts of the files, a few at a time: those in view first.
import type { ReviewFiles } from '../../../../src/contract/review-api.ts';
import type { FileText } from './diff-rows.ts';

type Page = ReviewFiles['files'];

const PAGE = 20;
const MOST_AT_ONCE = 2;
const AGAIN_MS = 2000;

export interface Texts {
  get(position: number): FileText | undefined;
  /** What could not be loaded the last time; it is tried again. */
  problem(): string | undefined;
  /** In the order in which they are needed; replaces what was wanted before. */
  want(positions: readonly number[]): void;
  subscribe(listener: () => void): () => void;
  /** Counts what has come. */
  version(): number;
  close(): void;
}

export function createTexts(load: (from: number, limit: number) => Promise<Page>): Texts {
  const known = new Map<number, FileText>();
  /** What came along with others is not given out before it is needed: to draw it is work. */
  const needed = new Set<number>();
  const underWay = new Set<number>();
  const listeners = new Set<() => void>();
  let wanted: readonly number[] = [];
  let requests = 0;
  let version = 0;
  let problem: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function show(): void {
    version += 1;
    listeners.forEach((each) => each());
  }

  const isMissing = (position: number) => !known.has(position) && !underWay.has(position);

  /** The first that is missing, and those after it that are, too. */
  function nextPage(): { from: number; limit: number } | undefined {
    const from = wanted.find(isMissing);
    if (from === undefined) return undefined;
    let limit = 1;
    while (limit < PAGE && isMissing(from + limit)) limit += 1;
    return { from, limit };
  }

  async function loadPage(from: number, limit: number): Promise<void> {
    const positions = Array.from({ length: limit }, (_, at) => from + at);
    positions.forEach((position) => underWay.add(position));
    requests += 1;
    try {
      const files = await load(from, limit);
      for (const { position, before, after, notShown } of files) {
        known.set(position, { before, after, notShown });
      }
      // There is nothing to ask for again.
      if (files.length === 0) known.set(from, { before: null, after: null, notShown: null });
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      clearTimeout(timer);
      timer = setTimeout(next, AGAIN_MS);
    } finally {
      requests -= 1;
      positions.forEach((position) => underWay.delete(position));
    }
    show();
    if (problem === undefined) next();
  }

  function next(): void {
    while (!isClosed && requests < MOST_AT_ONCE) {
      const page = nextPage();
      if (page === undefined) return;
      void loadPage(page.from, page.limit);
    }
  }

  return {
    get: (position) => (needed.has(position) ? known.get(position) : undefined),
    problem: () => problem,
    want(positions) {
      wanted = positions;
      const fresh = positions.filter((position) => !needed.has(position));
      fresh.forEach((position) => needed.add(position));
      if (fresh.some((position) => known.has(position))) show();
      if (problem === undefined) next();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
