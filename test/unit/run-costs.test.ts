import { describe, expect, it } from 'vitest';
import { showCost } from '../../src/cli/terminal/cost-text.ts';
import { showUsd } from '../../src/cli/terminal/figures.ts';
import type { RunRecord, StreamRecord } from '../../src/domain/run/replay.ts';
import { totalsOf } from '../../src/domain/run/totals.ts';

const stream = (costUsd: number | null, unpricedCalls: number): StreamRecord => ({
  status: 'complete',
  attempt: 1,
  open: undefined,
  unused: undefined,
  agent: undefined,
  appliedAt: undefined,
  commit: undefined,
  error: undefined,
  mayFix: false,
  climbs: 0,
  tokens: { input: 1, output: 1, cachedInput: 0 },
  costUsd,
  knownCostUsd: costUsd ?? 0,
  estimatedUsd: undefined,
  chargedUsd: costUsd ?? 0,
  skippedBy: undefined,
  unpricedCalls,
  cachedCalls: 0,
  savedUsd: 0,
  files: [],
  durationMs: 1,
});

const totals = (...streams: StreamRecord[]) =>
  totalsOf(
    {
      streams: new Map(streams.map((one, index) => [`s${index}`, one])),
      fixes: new Map(),
    } as unknown as RunRecord,
    0,
  );

describe('what a run cost', () => {
  it('is not known when a call had no price, and says how many had none', () => {
    expect(totals(stream(0.5, 0), stream(null, 2), stream(null, 1))).toMatchObject({
      costUsd: null,
      unpricedCalls: 3,
    });
    expect(totals(stream(0.5, 0))).toMatchObject({ costUsd: 0.5, unpricedCalls: 0 });
  });

  it('is told in words where it is not known', () => {
    expect(showUsd(null)).toBe('unknown');
    expect(showCost(null, 3)).toBe('cost unknown (3 calls)');
    expect(showCost(null)).toBe('cost unknown');
    expect(showCost(0.5, 1)).toBe('$0.5000 and 1 call at an unknown price');
    expect(showCost(0.5)).toBe('$0.5000');
  });
});
