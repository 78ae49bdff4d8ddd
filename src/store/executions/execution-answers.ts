// Reads the answers to the steps of executions before the transaction that ends their jobs: placing the
// edits of a large answer takes its time, in which that transaction would hold locks that others wait
// for. What is read here cannot change any more: the files that came with the task, and the artifacts
// of steps that were complete before this one was asked.
import { readAnswer } from '../../domain/execution/answers.ts';
import type { StepAnswer } from '../../domain/execution/answers.ts';
import type { Db } from '../postgres/db.ts';
import { isUnavailable } from '../postgres/errors.ts';
import { createHeavy } from './execution-queue.ts';
import { listSteps } from './execution-rows.ts';
import type { JobEnd } from '../jobs/job-end.ts';
import { fromJsonText } from '../postgres/json-text.ts';

export type ReadAnswers = ReadonlyMap<JobEnd, StepAnswer>;

async function readOne(db: Db, executionId: string, end: JobEnd): Promise<StepAnswer | undefined> {
  const { ending, jobId } = end;
  if (ending.kind !== 'completed' || ending.stopReason === 'length') return undefined;
  const steps = await listSteps(db, executionId);
  const step = steps.find((each) => each.jobId === jobId && each.status === 'queued');
  // A plan, or an answer that nobody waits for any more.
  if (step === undefined || step.position < 0) return undefined;
  const tree = await createHeavy(db, executionId).treeFor(steps, step.position);
  return readAnswer(fromJsonText(ending.output), step, () => tree);
}

export async function readAnswers(db: Db, batch: readonly JobEnd[]): Promise<ReadAnswers> {
  const answers = new Map<JobEnd, StepAnswer>();
  for (const end of batch) {
    if (!end.executionId) continue;
    try {
      const answer = await readOne(db, end.executionId, end);
      if (answer !== undefined) answers.set(end, answer);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // A bug shows again in the transaction, which knows what to do about it.
    }
  }
  return answers;
}
