// When the next model of a ladder is asked: after a failure that was up to the model. A better one cannot help where a
// vendor is down, a time or a budget is over, or the request itself is wrong.
import { MAX_ATTEMPTS } from './fix-stream.ts';
import { classifyFailure, couldNotRun } from './failure-class.ts';
import type { FailedCommand, StreamFailure } from './failure-class.ts';

export function isUpToModel(failure: StreamFailure): boolean {
  switch (failure.kind) {
    case 'artifact':
    case 'answer':
    case 'cut_off':
      return true;
    case 'call':
      return failure.code === 'PROVIDER_REFUSED';
    case 'verify':
      return !failure.results.some(isMissing) && classifyFailure(failure).class !== 'timeout';
    case 'setup':
    case 'review':
    case 'disk':
    case 'timeout':
      return false;
  }
}

/** The next model would meet the same. */
function isMissing(result: FailedCommand): boolean {
  return result.critical && couldNotRun(result);
}

/** Which model of its ladder a stream asks after so many failures that were up to the model. */
export function rungAfter(climbs: number, ladder: readonly string[]): number {
  return Math.max(0, Math.min(climbs, ladder.length - 1));
}

/** Every rung is tried at least once, unless the user says how many attempts there are. */
export function attemptsFor(
  ladder: readonly string[],
  { maxAttempts }: { maxAttempts?: number | undefined },
): number {
  return maxAttempts ?? Math.max(MAX_ATTEMPTS, ladder.length);
}
