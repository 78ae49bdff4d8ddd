// Which of the files are shown.
import type { ReviewDraft, ReviewFileSummary } from '../../../../src/contract/review-api.ts';
import { countDecisions } from './units.ts';

export const FILTERS = {
  unviewed: 'Not viewed',
  undecided: 'Undecided',
  commented: 'Commented',
  changed: 'Changed since the last round',
  failed: 'With a failed check',
} as const;
export type FilterState = keyof typeof FILTERS;

export interface ReviewFilter {
  /** A part of the path, in any case. */
  text: string;
  state: FilterState | undefined;
  stream: string | undefined;
}

export interface FilterFacts {
  draft: Pick<ReviewDraft, 'decisions' | 'viewed'>;
  hasComments: (path: string) => boolean;
  /** Hunks of the round before, with their parts; undefined while they are not known. */
  earlier: ReadonlySet<string> | undefined;
  /** The stream whose check has failed after the last submit. */
  failed: string | undefined;
}

export const isViewed = (viewed: ReviewDraft['viewed'], path: string): boolean =>
  Object.hasOwn(viewed, path) && viewed[path] === true;

function isInState(file: ReviewFileSummary, state: FilterState, facts: FilterFacts): boolean {
  const { draft, earlier } = facts;
  switch (state) {
    case 'unviewed':
      return !isViewed(draft.viewed, file.path);
    case 'undecided':
      return countDecisions([file], draft.decisions).undecided > 0;
    case 'commented':
      return facts.hasComments(file.path);
    case 'changed':
      return earlier === undefined || file.hunks.some(({ id }) => !earlier.has(id));
    case 'failed':
      return facts.failed === undefined || file.streams.includes(facts.failed);
  }
}

export function filterFiles(
  files: readonly ReviewFileSummary[],
  { text, state, stream }: ReviewFilter,
  facts: FilterFacts,
): readonly ReviewFileSummary[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' && state === undefined && stream === undefined) return files;
  return files.filter(
    (file) =>
      (wanted === '' || `${file.path}\n${file.renamedFrom ?? ''}`.toLowerCase().includes(wanted)) &&
      (stream === undefined || file.streams.includes(stream)) &&
      (state === undefined || isInState(file, state, facts)),
  );
}
