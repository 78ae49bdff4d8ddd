// The end of a run: in the manifest, in the history of the server and in the journal.
import { manifestName } from '../../manifest/model.ts';
import { atRest, totalsOf } from '../../domain/run/totals.ts';
import type { RunContext, RunEnd } from './context.ts';
import type { Halt } from '../../domain/run/halt.ts';
import { dropSessions } from '../state/session-record.ts';
import { recordHistory } from './record-history.ts';

const NOT_WRITTEN: Halt = {
  kind: 'manifest',
  reason: 'the manifest cannot be written as it is now; fix it and run again',
};

interface Ending {
  halt: Halt | undefined;
  /** Whatever is left is not done by this run any more. */
  isClosed?: boolean;
  /** The plan was not approved: nothing was done. */
  denial?: string;
}

function statusOf(
  { options, replay }: RunContext,
  { halt, isClosed, denial }: Ending,
): RunEnd['status'] {
  if (options.stop.aborted) return 'cancelled';
  if (halt !== undefined) return 'paused';
  if (isClosed) return 'cancelled';
  if (denial !== undefined) return 'failed';
  const { streams, fixes } = replay.record;
  const isGood = [...streams].every(
    ([id, { status, skippedBy }]) =>
      fixes.has(id) || status === 'complete' || (status === 'skipped' && skippedBy !== 'denial'),
  );
  return isGood ? 'complete' : 'failed';
}

/** Who denied what, a sentence each. */
function denialsIn({ replay }: RunContext): string[] {
  return [...replay.record.streams.values()].flatMap(({ skippedBy, error }) =>
    skippedBy === 'denial' ? (error ?? []) : [],
  );
}

export async function finishRun(context: RunContext, ending: Ending): Promise<RunEnd> {
  const { options, runId, replay, emit, checkpoint, manifest, tasks, waves } = context;
  const durationMs = options.now().getTime() - context.startedAt;
  checkpoint.setRunStatus(statusOf(context, ending));
  const isWritten = await checkpoint.flush();
  // Left open: the next run reads the journal, and does not do again what is done.
  const halt = ending.halt ?? (isWritten ? undefined : NOT_WRITTEN);
  const status = statusOf(context, { ...ending, halt });
  const { record } = replay;
  const feature = manifestName(manifest);
  const isDeaf = halt?.kind === 'unreachable' || halt?.kind === 'not_authorised';
  const hasWorked = [...record.streams.values()].some(({ attempt }) => attempt > 0);
  if (hasWorked && !isDeaf) {
    const entry = { runId, feature, status, durationMs, tasks, waves, record };
    const { startedAt } = record;
    const problem = await recordHistory(options.client, { ...entry, startedAt });
    const message = `The run was not recorded in the server's history: ${problem}`;
    const note = { level: 'warning' as const, code: 'NOT_IN_HISTORY', message };
    if (problem !== undefined) emit({ type: 'run.note', ...note });
  }
  // A paused run is resumed, and its agents continue.
  if (status !== 'paused') dropSessions(context.stateDir, runId);
  const totals = atRest(totalsOf(record, durationMs));
  if (status === 'paused') emit({ type: 'run.paused', reason: halt?.reason ?? '', totals });
  else if (status === 'failed') {
    const reason = [ending.denial ?? [], denialsIn(context)].flat().join(' ');
    emit({ type: 'run.failed', totals, ...(reason !== '' && { reason }) });
  } else if (status === 'complete') emit({ type: 'run.completed', totals });
  else {
    // A run that a person stopped has no reason; it may be resumed.
    const reason = ending.isClosed ? { reason: 'another run follows' } : {};
    emit({ type: 'run.cancelled', totals, ...reason });
  }
  await context.settled();
  return { runId, status, halt, totals };
}
