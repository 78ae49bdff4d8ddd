import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideSubmits, keyOf } from '../../src/domain/job/submission.ts';
import type { BatchState, Submission, TeamState } from '../../src/domain/job/submission.ts';

let ids = 0;

function submission(options: Partial<Submission> = {}): Submission {
  return {
    jobId: `job_${++ids}`,
    teamId: 'ann',
    userId: 'ann',
    runId: undefined,
    streamId: 's',
    model: 'm',
    priority: 0,
    runsPerMonth: null,
    concurrentJobs: null,
    idempotency: undefined,
    largestCostUsd: () => 0,
    ...options,
  };
}

function team(teamId: string, options: Partial<TeamState> = {}): TeamState {
  const empty = {
    inQueue: 0,
    finishTime: 0,
    runsCounted: 0,
    writers: undefined,
    budget: undefined,
    allowedModels: null,
    maxCallCostUsd: null,
  };
  return { teamId, ...empty, ...options };
}

function state(...teams: TeamState[]): BatchState {
  return {
    teams: new Map(
      (teams.length === 0 ? [team('ann'), team('bob')] : teams).map((t) => [t.teamId, t]),
    ),
    keys: new Map(),
    runs: new Map(),
    caps: new Map(),
    clock: 0,
  };
}

const withKey = (key: string, body: string) => ({ key, bodyHash: Buffer.from(body) });
const kinds = (batch: readonly Submission[], from: BatchState) =>
  decideSubmits(batch, from).outcomes.map((outcome) => outcome.kind);

describe('a plain submit', () => {
  it('is accepted and opens a run of its own', () => {
    const batch = [submission(), submission()];
    const { outcomes, accepted } = decideSubmits(batch, state());
    expect(outcomes).toEqual(batch.map(({ jobId }) => ({ kind: 'accepted', jobId })));
    expect(accepted).toEqual([
      { index: 0, parked: false, startsNow: false, virtualTime: 0, opensRun: true, counts: true },
      { index: 1, parked: false, startsNow: false, virtualTime: 1, opensRun: true, counts: true },
    ]);
  });

  it('is refused in a team that is gone, and for a user who was removed; steps go on', () => {
    const left = () => state(team('ann', { writers: new Set(['ann']) }));
    const eve = { userId: 'eve' };
    const batch = [submission({ teamId: 'gone' }), submission(eve), submission()];
    expect(kinds(batch, left())).toEqual(['team_deleted', 'not_allowed', 'accepted']);
    expect(kinds([submission({ ...eve, isStep: true })], left())).toEqual(['accepted']);
  });
});

describe('an idempotency key', () => {
  it('answers like the first submit, also within one batch', () => {
    const first = submission({ idempotency: withKey('k', 'body') });
    const again = submission({ idempotency: withKey('k', 'body') });
    expect(decideSubmits([first, again], state()).outcomes).toEqual([
      { kind: 'accepted', jobId: first.jobId },
      { kind: 'replayed', jobId: first.jobId },
    ]);
  });

  it('is refused with another body', () => {
    const from = state();
    from.keys.set(keyOf({ teamId: 'ann', userId: 'ann' }, 'k'), {
      bodyHash: Buffer.from('a'),
      jobId: 'job_old',
    });
    const batch = [
      submission({ idempotency: withKey('k', 'b') }),
      submission({ idempotency: withKey('k', 'a') }),
    ];
    expect(decideSubmits(batch, from).outcomes).toEqual([
      { kind: 'key_reused' },
      { kind: 'replayed', jobId: 'job_old' },
    ]);
  });

  it('belongs to one user', () => {
    const batch = ['ann', 'bob'].map((userId) =>
      submission({ userId, idempotency: withKey('k', userId) }),
    );
    expect(kinds(batch, state())).toEqual(['accepted', 'accepted']);
  });

  it('is not taken by a submit that was refused', () => {
    const from = state(team('ann', { runsCounted: 1 }));
    const refused = submission({ runsPerMonth: 1, idempotency: withKey('k', 'a') });
    const later = submission({ runsPerMonth: 2, idempotency: withKey('k', 'b') });
    expect(kinds([refused, later], from)).toEqual(['quota_exceeded', 'accepted']);
  });

  it('answers although the quota is used up meanwhile', () => {
    const from = state(team('ann', { runsCounted: 5 }));
    from.keys.set(keyOf({ teamId: 'ann', userId: 'ann' }, 'k'), {
      bodyHash: Buffer.from('a'),
      jobId: 'job_old',
    });
    const again = submission({ runsPerMonth: 5, idempotency: withKey('k', 'a') });
    expect(kinds([again], from)).toEqual(['replayed']);
  });
});

describe('a named run', () => {
  it('is opened by its first job and joined by the others', () => {
    const batch = [submission({ runId: 'r' }), submission({ runId: 'r' })];
    const { accepted } = decideSubmits(batch, state());
    expect(accepted.map((job) => job.opensRun)).toEqual([true, false]);
  });

  it('is another run in another team, also when both are opened by one batch', () => {
    const from = state();
    from.runs.set('bob/taken', { counted: true });
    const batch = [
      submission({ runId: 'taken' }),
      submission({ runId: 'new' }),
      submission({ runId: 'new', teamId: 'bob', userId: 'bob' }),
    ];
    const { accepted } = decideSubmits(batch, from);
    expect(accepted.map(({ opensRun, counts }) => opensRun && counts)).toEqual([true, true, true]);
  });

  it('counts once against the quota, and is joined when the quota is used up', () => {
    const limits = { runsPerMonth: 1, runId: 'r' };
    const batch = [submission(limits), submission(limits), submission({ runsPerMonth: 1 })];
    const { outcomes } = decideSubmits(batch, state());
    expect(outcomes.map((outcome) => outcome.kind)).toEqual([
      'accepted',
      'accepted',
      'quota_exceeded',
    ]);
    expect(outcomes[2]).toEqual({ kind: 'quota_exceeded', used: 1, limit: 1 });
  });
});

describe('a run that is there but has not counted', () => {
  it('counts with the first job that joins it, and is refused when the quota is used up', () => {
    const from = state(team('ann', { runsCounted: 1 }));
    from.runs.set('ann/told', { counted: false });
    const joining = { runId: 'told', runsPerMonth: 2 };
    const batch = [submission(joining), submission(joining), submission({ runsPerMonth: 2 })];
    const { accepted, outcomes } = decideSubmits(batch, from);
    expect(accepted).toMatchObject([
      { opensRun: false, counts: true },
      { opensRun: false, counts: false },
    ]);
    expect(outcomes[2]).toEqual({ kind: 'quota_exceeded', used: 2, limit: 2 });
    from.runs.set('ann/later', { counted: false });
    const late = submission({ runId: 'later', runsPerMonth: 2 });
    expect(kinds([late], from)).toEqual(['quota_exceeded']);
  });
});

describe('the concurrency cap', () => {
  it('parks what is above it, which takes no place in line yet', () => {
    const from = state(team('ann', { inQueue: 1 }));
    const batch = [1, 2, 3].map(() => submission({ concurrentJobs: 2 }));
    const { accepted } = decideSubmits(batch, from);
    expect(accepted.map((job) => job.parked)).toEqual([false, true, true]);
    const left = from.teams.get('ann')!;
    expect(left.inQueue).toBe(2);
    expect(left.finishTime).toBe(1);
  });

  it('is not kept for users without one', () => {
    const from = state();
    decideSubmits([submission(), submission()], from);
    expect(from.teams.get('ann')!.inQueue).toBe(0);
  });
});

describe('any batch', () => {
  const limits = fc.option(fc.nat({ max: 5 }), { nil: null });
  const anySubmission = fc
    .record({
      userId: fc.constantFrom('ann', 'bob'),
      runId: fc.option(fc.constantFrom('r1', 'r2'), { nil: undefined }),
      priority: fc.integer({ min: -10, max: 10 }),
      idempotency: fc.option(
        fc
          .tuple(fc.constantFrom('k1', 'k2'), fc.constantFrom('a', 'b'))
          .map(([k, b]) => withKey(k, b)),
        { nil: undefined },
      ),
    })
    .map(submission);

  it('is decided as if its submits had come one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(anySubmission, { maxLength: 20 }),
        limits,
        limits,
        (list, runs, jobs) => {
          const batch = list.map((one) => ({ ...one, runsPerMonth: runs, concurrentJobs: jobs }));
          const together = state();
          const apart = state();
          const outcomes = batch.flatMap((one) => decideSubmits([one], apart).outcomes);
          expect(decideSubmits(batch, together).outcomes).toEqual(outcomes);
          expect(together).toEqual(apart);
        },
      ),
    );
  });

  it('keeps quota and cap', () => {
    fc.assert(
      fc.property(
        fc.array(anySubmission, { maxLength: 20 }),
        limits,
        limits,
        (list, runs, jobs) => {
          const from = state();
          const batch = list.map((one) => ({ ...one, runsPerMonth: runs, concurrentJobs: jobs }));
          const { outcomes, accepted } = decideSubmits(batch, from);
          expect(outcomes).toHaveLength(batch.length);
          for (const { teamId, inQueue, runsCounted } of from.teams.values()) {
            expect(runsCounted).toBeLessThanOrEqual(runs ?? Infinity);
            expect(inQueue).toBeLessThanOrEqual(jobs ?? 0);
            const running = accepted.filter(
              (job) => batch[job.index]!.teamId === teamId && !job.parked,
            );
            expect(running.length).toBeLessThanOrEqual(jobs ?? Infinity);
          }
        },
      ),
    );
  });
});

describe('a worker beside', () => {
  const startsNow = (batch: readonly Submission[], places: number, from = state()) =>
    decideSubmits(batch, from, { slots: places }).accepted.map((job) => job.startsNow);

  it('gets as many jobs as it has places for, in the order of arrival', () => {
    expect(startsNow([submission(), submission(), submission()], 2)).toEqual([true, true, false]);
  });

  it('gets none that has to wait', () => {
    const capped = state(team('ann', { inQueue: 1 }));
    expect(startsNow([submission({ concurrentJobs: 1 })], 5, capped)).toEqual([false]);
    expect(startsNow([submission({ delayMs: 1000 }), submission()], 1)).toEqual([false, true]);
    expect(startsNow([submission({ mayEndAtOnce: true })], 1)).toEqual([false]);
  });

  it('counts a job against the cap of its team, but leaves the place in line to those that wait', () => {
    const from = state();
    decideSubmits([submission({ concurrentJobs: 3 })], from, { slots: 1 });
    expect(from.teams.get('ann')).toMatchObject({ inQueue: 1, finishTime: 0 });
  });

  it('keeps the budget, and sets aside exactly what it accepts', () => {
    const cost = fc.option(fc.integer({ min: 0, max: 50 }), { nil: null });
    const usd = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.array(cost, { maxLength: 20 }), usd, usd, usd, (costs, limit, spent, held) => {
        const budget = { limitUsd: limit, spentUsd: spent, reservedUsd: held };
        const from = state(team('ann', { budget }));
        const batch = costs.map((one) => submission({ largestCostUsd: () => one }));
        const { accepted, outcomes } = decideSubmits(batch, from);
        const reserved = accepted.reduce((sum, { reservedUsd }) => sum + reservedUsd!, 0);
        expect(budget.reservedUsd).toBe(held + reserved);
        if (reserved > 0) expect(spent + budget.reservedUsd).toBeLessThanOrEqual(limit);
        for (const [index, outcome] of outcomes.entries()) {
          const asked = costs[index]!;
          if (outcome.kind === 'accepted') continue;
          // Refused only for what is unknown, or did not fit when its turn came.
          expect(outcome).toMatchObject({ kind: 'budget_exceeded', costUsd: asked });
          const before = (outcome as { budget: typeof budget }).budget;
          if (asked !== null) expect(spent + before.reservedUsd + asked).toBeGreaterThan(limit);
        }
      }),
    );
  });
});
