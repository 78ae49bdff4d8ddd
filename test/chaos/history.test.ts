import { describe, expect, it } from 'vitest';
import { createHistory } from '../support/chaos/history.ts';
import type { JobView } from '../support/chaos/history.ts';

const DONE: JobView = {
  status: 'completed',
  output: 'text',
  attempt: 2,
  tokensUsed: { input: 26, output: 120 },
  costUsd: 0.1,
  usageEstimated: false,
};
const LATER = { tokensUsed: { input: 26, output: 240 }, costUsd: 0.2 };

function violationsOf(...views: readonly JobView[]): number {
  const history = createHistory();
  history.accepted('key', 'job');
  for (const view of views) history.saw('job', view, history.mark());
  return history.violations().length;
}

describe('what clients were told of a job that has ended', () => {
  it('is the same each time, but for what its calls used when that is told late', () => {
    const cancelled = { ...DONE, status: 'failed', output: null, errorCode: 'CANCELLED' };
    expect(violationsOf(DONE, DONE)).toBe(0);
    expect(violationsOf({ ...DONE, usageEstimated: true }, { ...DONE, ...LATER })).toBe(0);
    expect(violationsOf(cancelled, { ...cancelled, ...LATER, partialOutput: 'te' })).toBe(0);
  });

  it('is a violation when anything else changes', () => {
    const estimated = { ...DONE, usageEstimated: true };
    expect(violationsOf(DONE, { ...DONE, ...LATER })).toBe(1);
    expect(violationsOf(estimated, { ...DONE, ...LATER, output: 'other' })).toBe(1);
    expect(violationsOf(estimated, { ...DONE, ...LATER, partialOutput: 'te' })).toBe(1);
    expect(violationsOf(DONE, { ...DONE, status: 'failed' })).toBe(1);
    expect(violationsOf(DONE, { ...DONE, status: 'running' })).toBe(1);
    expect(violationsOf(DONE, { ...DONE, attempt: 1 })).toBeGreaterThan(0);
  });
});
