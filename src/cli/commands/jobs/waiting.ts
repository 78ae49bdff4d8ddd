// Why a job is not running yet, or not running any more for the moment.
import type { JobWaitReason, JobWaiting } from '../../../contract/job-api.ts';
import { showElapsed } from '../../terminal/figures.ts';
import { plain } from '../../terminal/plain-text.ts';

const WHY: Record<JobWaitReason, string> = {
  key_paused: 'Waiting: the provider is rate limiting this key',
  rate_limited: 'Waiting: the provider is rate limiting this job',
  retry: 'The model call failed; retrying',
  concurrency: "Waiting: the plan's concurrent jobs are all in use",
};

/** A server may add reasons; older ones send nothing at all. */
function waitingIn(holder: unknown): JobWaiting | undefined {
  const { waiting } = (holder ?? {}) as { waiting?: Partial<JobWaiting> | null };
  return typeof waiting?.reason === 'string' ? (waiting as JobWaiting) : undefined;
}

/** A line about it, or undefined when it does not wait. */
export function showWait(holder: unknown, now: Date): string | undefined {
  const waiting = waitingIn(holder);
  if (waiting === undefined) return undefined;
  const why = Object.hasOwn(WHY, waiting.reason) ? WHY[waiting.reason] : 'Waiting';
  const leftMs = Date.parse(waiting.until ?? '') - now.getTime();
  const when = leftMs > 0 ? ` in ${showElapsed(leftMs)}` : '';
  const continues = waiting.reason === 'retry' || when === '' ? when : `; continues${when}`;
  const detail = waiting.detail ? ` (${plain(waiting.detail)})` : '';
  return `${why}${continues}${detail}.`;
}
