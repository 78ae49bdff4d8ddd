// What a run, or a stream of it, may cost at most. Kept on the server, so that every job and every call of the run meets
// the same limit, whichever process sent it and whichever node takes it.
import { runKeyText } from '../run/run-key.ts';
import type { Budget } from './reservation.ts';

export interface RunCap extends Budget {
  limitUsd: number;
  /** Undefined: of the whole run. */
  streamId: string | undefined;
}

/** Of some runs, by `runKeyText`. */
export type CapState = ReadonlyMap<string, readonly RunCap[]>;

/** The caps that a job or a call has to keep: that of its run and that of its stream. */
export function capsOf(
  caps: CapState,
  { teamId, runId, streamId }: { teamId: string; runId: string | undefined; streamId: string },
): RunCap[] {
  if (runId === undefined) return [];
  const ofRun = caps.get(runKeyText({ teamId, runId })) ?? [];
  return ofRun.filter((cap) => cap.streamId === undefined || cap.streamId === streamId);
}
