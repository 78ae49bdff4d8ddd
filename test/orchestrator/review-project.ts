// A run that has written files, and a person who looks through them.
import type { ReviewComment } from '../../src/domain/review/comment.ts';
import type { Decision } from '../../src/domain/review/decision.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { writeDraft } from '../../src/orchestrator/review/draft.ts';
import { findOpenRound, openReview } from '../../src/orchestrator/review/open-review.ts';
import { textAfter } from '../../src/orchestrator/review/reviewed-file.ts';
import type { Hunk } from '../../src/orchestrator/review/reviewed-file.ts';
import { submitReview } from '../../src/orchestrator/review/submit-review.ts';
import type {
  SubmitOptions,
  SubmittedReview,
} from '../../src/orchestrator/review/submit-review.ts';
import type { ProjectPlace } from '../../src/orchestrator/state/state-dir.ts';
import { placeIn } from './apply-project.ts';

/** A plan that makes the simulator answer with these operations. */
export function replyWith(operations: readonly object[], stream?: string): string {
  const artifact = { status: 'complete', operations, summary: 'Done' };
  const block = `\`\`\`millrace-artifact\n${JSON.stringify(artifact)}\n\`\`\``;
  return `[[sim:reply${stream === undefined ? '' : ` for=${stream}`}]]${block}[[/sim:reply]]`;
}

export const numbered = (count: number, ending = '\n') =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}${ending}`).join('');

export const submitOptions = (more: Partial<SubmitOptions> = {}): SubmitOptions => ({
  copies: [],
  env: process.env,
  signal: new AbortController().signal,
  scrub: (text) => text,
  approve: async () => undefined,
  onStream: () => {},
  onCommand: () => {},
  onProblem: (message) => {
    throw new Error(message);
  },
  ...more,
});

/** The root of a project that has its state in it, or where both are. */
type Where = string | ProjectPlace;

const at = (where: Where) => (typeof where === 'string' ? placeIn(where) : where);

export const opened = async (root: Where) =>
  openReview(at(root), await findRun(at(root).stateDir, undefined));

/** Answers about every hunk: what is named is taken back, as the path and the number of the hunk. */
export async function answer(root: Where, rejected: readonly string[]): Promise<void> {
  const { runId, files } = await opened(root);
  const decisions = files.flatMap(({ change, hunks }) =>
    hunks.map(({ id }, nth): [string, Decision] => {
      const isRejected = rejected.includes(`${change.path} ${nth}`);
      return [id, { kind: isRejected ? 'rejected' : 'accepted' }];
    }),
  );
  await writeDraft(at(root).stateDir, runId, { decisions: new Map(decisions) });
}

/** A comment on lines of the new side, on the hunk that has the first of them. */
export async function commentOn(
  root: Where,
  {
    path,
    line,
    endLine = line,
    ...said
  }: Pick<ReviewComment, 'path' | 'line'> & Partial<ReviewComment>,
): Promise<[string, ReviewComment]> {
  const { files } = await opened(root);
  const file = files.find(({ change }) => change.path === path);
  const lines = textAfter(file!).split('\n');
  const isIn = (hunk: Hunk) =>
    hunk.kind !== 'lines' || hunk.lines.some((each) => each === `+${lines[line - 1]}`);
  const hunk = file!.hunks.find(isIn)?.id;
  const comment: ReviewComment = {
    path,
    side: 'new',
    line,
    endLine,
    text: '',
    quoted: line === 0 ? '' : `${lines.slice(line - 1, endLine).join('\n')}\n`,
    ...(hunk !== undefined && { hunk }),
    ...said,
  };
  return [`c-${path.replaceAll(/\W/g, '-')}-${line}-${endLine}`.padEnd(8, '-'), comment];
}

/** Answers as `answer` does, and asks for changes. */
export async function ask(
  root: Where,
  comments: readonly [string, ReviewComment][],
  rejected: readonly string[] = [],
): Promise<void> {
  await answer(root, rejected);
  const { runId } = await opened(root);
  await writeDraft(at(root).stateDir, runId, { comments: new Map(comments) });
}

export const openRound = async (root: Where) =>
  findOpenRound(at(root), await findRun(at(root).stateDir, undefined));

export async function submit(
  root: Where,
  more: Partial<SubmitOptions> = {},
): Promise<SubmittedReview> {
  const run = await findRun(at(root).stateDir, undefined);
  return submitReview(at(root), run, submitOptions(more));
}
