// A small project for tests of rules: files by their paths, with what they import.
import { indexRepository } from '../../../src/manifest/compose/repository.ts';
import type { Repository, RepositoryFacts } from '../../../src/manifest/compose/repository.ts';
import type { DraftStream } from '../../../src/manifest/compose/draft.ts';
import type { ProposedStream } from '../../../src/manifest/compose/proposal.ts';

export interface Given extends Partial<Omit<RepositoryFacts, 'files'>> {
  /** Imports of each file. */
  files?: Record<string, readonly string[]>;
  bytes?: Record<string, number>;
}

const SECRET = /(?:^|\/)\.env/;

export function aRepository({ files = {}, bytes = {}, ...facts }: Given = {}): Repository {
  const paths = Object.keys(files);
  const importers = new Map<string, string[]>();
  for (const path of paths) {
    for (const to of files[path]!) importers.set(to, [...(importers.get(to) ?? []), path]);
  }
  return indexRepository({
    task: 'Add search to the shelves',
    files: paths.map((path) => ({ path, bytes: bytes[path] ?? 1_000 })),
    importsOf: (path) => (Object.hasOwn(files, path) ? files[path]! : []),
    importersOf: (path) => importers.get(path) ?? [],
    refusalOf: (path) => (SECRET.test(path) ? 'it holds secrets' : undefined),
    isTest: (path) => /\.test\.\w+$/.test(path),
    setup: ['npm ci'],
    isSetUp: false,
    checks: [
      { command: 'npm test', narrow: (tests) => `npx vitest run ${tests.join(' ')}` },
      { command: 'npm run lint' },
    ],
    estimateMs: (owns) => 1_500 + owns.length * 5_000,
    answerBytes: 40_000,
    isForAgents: false,
    isPartial: false,
    maxStreams: 200,
    ...facts,
  });
}

const LISTS = { owns: [], reads: [], deps: [], setup: [], verify: [] };

export function aProposed(id: string, given: Partial<ProposedStream> = {}): ProposedStream {
  return { id, name: id, plan: `Do ${id}.`, ...LISTS, ...given };
}

export function aStream(id: string, given: Partial<DraftStream> = {}): DraftStream {
  return {
    id,
    name: id,
    pieces: [{ name: id, text: `Do ${id}.` }],
    duties: [],
    ...LISTS,
    ...given,
  };
}

export const aDraft = (...streams: DraftStream[]) => ({
  feature: 'search',
  streams,
  remarks: [],
});
