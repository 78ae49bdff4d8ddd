// What can be looked through hunk by hunk: what a run has written, and what an execution has made. The commands of both ask
// the same questions and do the same with the answers.
import { projectionOf } from '../../domain/run/projection.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import { findRun } from '../project/find-run.ts';
import type { FoundRun } from '../project/find-run.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { AskedAbout } from './ask-on-server.ts';
import { findOpenRound, openReview } from './open-review.ts';
import type { OpenRound, OpenedReview } from './open-review.ts';
import { submitReview } from './submit-review.ts';
import type { SubmitOptions, SubmittedReview } from './submit-review.ts';
import { writersOf } from './touched-streams.ts';

export interface ReviewSubject extends AskedAbout {
  open(): Promise<OpenedReview>;
  submit(options: SubmitOptions): Promise<SubmittedReview>;
  /** Whose changes are not made yet. */
  findOpenRound(): Promise<OpenRound | undefined>;
}

export function reviewOfRun(project: ProjectPlace, found: FoundRun): ReviewSubject {
  const { runId } = found;
  const { stateDir } = project;
  const now = () => findRun(stateDir, runId);
  return {
    runId,
    isApplied: true,
    async writersOf(paths) {
      const { entries } = await appliedChanges(stateDir, runId);
      return writersOf(entries, projectionOf((await now()).events), paths);
    },
    open: async () => openReview(project, await now()),
    submit: async (options) => submitReview(project, await now(), options),
    findOpenRound: () => findOpenRound(project, found),
  };
}
