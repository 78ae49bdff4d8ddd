// What a stream waits for, in a few words.
import type { StreamWait } from '../../../../orchestrator/index.ts';
import { showElapsed } from '../../../terminal/figures.ts';
import { plain } from '../../../terminal/plain-text.ts';

const WORDS: Record<StreamWait['reason'], string> = {
  rate_limited: 'rate limited',
  key_paused: 'provider key paused',
  retry: 'request failed',
  concurrency: "the plan's concurrent jobs are all in use",
  files: 'waiting for another stream to finish writing',
  review: 'waiting for your review',
  approval: 'waiting for approval',
};

/** Reasons that need no more words. */
const PLAIN = new Set<StreamWait['reason']>(['files', 'review', 'rate_limited']);

export function waitText({ reason, until, detail }: StreamWait, now: number): string {
  const left = until === undefined ? '' : `, retry in ${showElapsed(Math.max(0, until - now))}`;
  const why = detail === undefined || PLAIN.has(reason) ? '' : ` (${plain(detail)})`;
  return `${WORDS[reason]}${left}${why}`;
}
