// A run that has written files, and a person who looks through them.
import type { Decision } from '../../src/domain/review/decision.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { writeDraft } from '../../src/orchestrator/review/draft.ts';
import { openReview } from '../../src/orchestrator/review/open-review.ts';
import { submitReview } from '../../src/orchestrator/review/submit-review.ts';
import type {
  SubmitOptions,
  SubmittedReview,
} from '../../src/orchestrator/review/submit-review.ts';
import type { ProjectPlace } from '../../src/orchestrator/state/state-dir.ts';
import { placeIn } from './apply-project.ts';

/** A plan that makes the simulator answer with these operations. */
export function replyWith(operations: readonly object[]): string {
  const artifact = { status: 'complete', operations, summary: 'Done' };
  const block = `\`\`\`millrace-artifact\n${JSON.stringify(artifact)}\n\`\`\``;
  return `[[sim:reply]]${block}[[/sim:reply]]`;
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

export async function submit(
  root: Where,
  more: Partial<SubmitOptions> = {},
): Promise<SubmittedReview> {
  const run = await findRun(at(root).stateDir, undefined);
  return submitReview(at(root), run, submitOptions(more));
}
