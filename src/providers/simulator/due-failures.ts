// Scripted failures that end: `[[sim:fail 2 overloaded]]` counts the calls that failed.
import { createCache } from '../../platform/cache.ts';
import type { ScriptedFailure } from './script-model.ts';

const MAX_COUNTED_PROMPTS = 10_000;

export interface DueFailures {
  /** Whether this call is one of those that fail; a success starts the count anew. */
  isDue(failure: ScriptedFailure, key: string): boolean;
}

export function createDueFailures(): DueFailures {
  const failedCalls = createCache<number>({ entries: MAX_COUNTED_PROMPTS });
  return {
    isDue(failure, key) {
      if (failure.times === undefined) return true;
      const failed = failedCalls.get(key) ?? 0;
      if (failed < failure.times) failedCalls.set(key, failed + 1);
      else failedCalls.delete(key);
      return failed < failure.times;
    },
  };
}
