// What becomes of the proposals of a worker: applied and verified, kept for later, or refused and asked for again.
import type { Operation } from '../../contract/artifact.ts';
import type { Proposal, Worker } from '../../agents/worker.ts';
import { artifactFileOf, writeRecord } from '../state/run-folder.ts';
import { applyAndVerify } from './apply-stream.ts';
import type { Attempt, RunContext } from './context.ts';
import { failed, settle } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';

export async function workOnStream(
  context: RunContext,
  start: Attempt,
  worker: Worker,
): Promise<StreamOutcome> {
  try {
    const outcome = await untilApplied(context, start, worker);
    if (outcome.kind !== 'failed') return outcome;
    const answer = worker.lastWords();
    return answer === undefined ? outcome : { ...outcome, answer };
  } finally {
    await worker.close();
  }
}

async function untilApplied(
  context: RunContext,
  start: Attempt,
  worker: Worker,
): Promise<StreamOutcome> {
  let proposal = await worker.work();
  for (;;) {
    if (proposal.kind === 'failed') return failed(proposal.failure);
    if (proposal.kind !== 'changes') return proposal;
    if (context.options.apply === 'never') return keep(context, start, proposal);
    const { operations, isLast, isExact = false } = proposal;
    const applied = await applyAndVerify(context, start, operations, { isLast, isExact });
    const refused = applied.kind === 'failed' && !isLast ? applied.problems : undefined;
    const next = refused && (await worker.revise(refused));
    if (next === undefined) {
      const outcome = settle(context, applied);
      if (outcome.kind === 'complete') await worker.accepted(operations);
      return outcome;
    }
    proposal = next;
  }
}

/** Not applied now: kept for `millrace apply`. */
async function keep(
  context: RunContext,
  { task }: Attempt,
  { operations, summary, isExact }: Extract<Proposal, { kind: 'changes' }>,
): Promise<StreamOutcome> {
  const filesChanged = operations.map(({ path }: Operation) => path);
  const about = { streamId: task.id, status: 'complete', filesChanged, summary };
  const artifact = { ...about, operations, ...(isExact && { isExact }) };
  await writeRecord(artifactFileOf(context.stateDir, context.runId, task.id), artifact);
  return { kind: 'complete', files: [], appliedAt: undefined };
}
