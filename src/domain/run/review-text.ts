// What a review has decided, in one line of a log.
import type { RunEvent } from '../../contract/run-events.ts';

export function reviewText(event: Extract<RunEvent, { type: 'run.reviewed' }>): string {
  const { accepted, rejected, round, comments = 0, fixes = [] } = event;
  const decided = `${accepted} accepted, ${rejected} taken back`;
  if (round === undefined) return decided;
  const asked = `${comments} comment${comments === 1 ? '' : 's'}`;
  const by = fixes.length > 0 ? ` for ${fixes.map(({ fix }) => fix).join(', ')}` : '';
  return `round ${round}: ${decided}, ${asked}${by}`;
}
