// Why a job is not running yet, or not running any more for the moment.
import { showElapsed } from '../../terminal/figures.ts';
import { plain } from '../../terminal/plain-text.ts';

/** As jobs carry it while they wait. */
export interface Waiting {
  reason: 'key_paused' | 'rate_limited' | 'retry' | 'queued';
  /** When it continues, if that is known. */
  until?: string;
  detail?: string;
}

const WHY: Record<Waiting['reason'], string> = {
  key_paused: 'Waiting: the provider has paused this key',
  rate_limited: "Waiting: the provider's rate limit is reached",
  retry: 'The call failed; trying again',
  queued: 'Waiting for a free slot',
};

/** A server may add reasons; older ones send nothing at all. */
function waitingIn(holder: unknown): Waiting | undefined {
  const { waiting } = (holder ?? {}) as { waiting?: Partial<Waiting> | null };
  if (typeof waiting?.reason !== 'string') return undefined;
  return waiting as Waiting;
}

/** A line about it, or undefined when it does not wait. */
export function showWait(holder: unknown, now: Date): string | undefined {
  const waiting = waitingIn(holder);
  if (waiting === undefined) return undefined;
  const why = Object.hasOwn(WHY, waiting.reason) ? WHY[waiting.reason] : 'Waiting';
  const leftMs = waiting.until === undefined ? NaN : Date.parse(waiting.until) - now.getTime();
  const when = leftMs > 0 ? ` in ${showElapsed(leftMs)}` : '';
  const continues = waiting.reason === 'retry' || when === '' ? when : `; continues${when}`;
  const detail = waiting.detail ? ` (${plain(waiting.detail)})` : '';
  return `${why}${continues}${detail}.`;
}
