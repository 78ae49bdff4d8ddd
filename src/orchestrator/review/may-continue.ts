// Whether a run can make the changes that a review asks for: it must be the one that is resumed next.
import { createReplay, isResumable } from '../../domain/run/replay.ts';
import { OrchestratorError } from '../errors.ts';
import { stateOfRun } from '../project/find-run.ts';
import { findLastRun } from '../run/last-run.ts';
import { readRound } from './round-record.ts';
import type { Submit } from './submit-review.ts';

const refused = (message: string, hint: string) =>
  new OrchestratorError({ code: 'CONFLICT', message, hint });

const TAKE_BACK = 'Without the comments, the review can be submitted.';

/** Throws where it cannot; nothing has been touched yet. */
export async function checkMayContinue({ project, run, projection }: Submit): Promise<void> {
  const { stateDir } = project;
  const { runId, events } = run;
  const [first] = events;
  const origin = first?.type === 'run.started' ? first.branch?.origin : undefined;
  const last = await findLastRun(stateDir, { file: projection.file, origin });
  if (last !== undefined && last.record.runId !== runId) {
    throw refused(
      `${runId} cannot make changes any more: ${last.record.runId} ran the same manifest after it.`,
      `Review ${last.record.runId}. ${TAKE_BACK}`,
    );
  }
  const round = await readRound(stateDir, runId);
  const { record } = createReplay(events);
  if (round?.state === 'begun' && isResumable(record)) {
    throw refused(
      `${runId} is ${record.isRoundStopped ? 'stopped' : 'paused'}, and the changes that round ${round.round} asked for are not made yet.`,
      `Run the manifest again to resume it. ${TAKE_BACK}`,
    );
  }
  if (stateOfRun(stateDir, run) === 'cancelled') {
    throw refused(
      `${runId} was stopped, and is not resumed.`,
      `Run the manifest again to do what is left. ${TAKE_BACK}`,
    );
  }
}
