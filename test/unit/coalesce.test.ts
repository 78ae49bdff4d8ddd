import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoalescer } from '../../src/store/postgres/coalesce.ts';

/** A `run` whose batches wait until they are told how to end. */
function manualRun() {
  const calls: { items: number[]; end: PromiseWithResolvers<number[]> }[] = [];
  return {
    calls,
    batches: () => calls.map((call) => call.items),
    finish: (index: number) => {
      const call = calls[index]!;
      call.end.resolve(call.items.map((item) => item * 10));
    },
    fail: (index: number, error: Error) => calls[index]!.end.reject(error),
    run: (items: number[]) => {
      const end = Promise.withResolvers<number[]>();
      calls.push({ items, end });
      return end.promise;
    },
  };
}

const conflict = (code: string) => Object.assign(new Error('conflict'), { code });

/** Enough turns of the event loop for everything that waits for no timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await nextTurn();
}

describe('the coalescer', () => {
  it('joins what is added in one turn, and what comes meanwhile in the next batch', async () => {
    const manual = manualRun();
    const { add } = createCoalescer({ run: manual.run, maxBatch: 10 });
    const first = Promise.all([add(1), add(2)]);
    await settle();
    const second = Promise.all([add(3), add(4), add(5)]);
    await settle();
    expect(manual.batches()).toEqual([[1, 2]]);
    manual.finish(0);
    expect(await first).toEqual([10, 20]);
    await settle();
    expect(manual.batches()).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    manual.finish(1);
    expect(await second).toEqual([30, 40, 50]);
  });

  it('keeps a batch within its number and its weight, but takes a heavy one alone', async () => {
    const seen: number[][] = [];
    const coalescer = createCoalescer({
      run: async (items: number[]) => {
        seen.push(items);
        return items;
      },
      maxBatch: 3,
      weigh: (item) => item,
      maxWeight: 10,
    });
    await Promise.all([1, 1, 1, 1, 9, 2, 50, 1].map((item) => coalescer.add(item)));
    expect(seen).toEqual([[1, 1, 1], [1, 9], [2], [50], [1]]);
  });

  it('runs at most as many batches at once as it may', async () => {
    const manual = manualRun();
    const { add } = createCoalescer({ run: manual.run, maxBatch: 1, maxConcurrent: 2 });
    const all = Promise.all([add(1), add(2), add(3)]);
    await settle();
    expect(manual.batches()).toEqual([[1], [2]]);
    manual.finish(1);
    await settle();
    expect(manual.batches()).toEqual([[1], [2], [3]]);
    manual.finish(0);
    manual.finish(2);
    expect(await all).toEqual([10, 20, 30]);
  });

  it.each(['40001', '40P01'])('runs a batch again after the conflict %s', async (code) => {
    const manual = manualRun();
    const { add } = createCoalescer({ run: manual.run, maxBatch: 10 });
    const answer = Promise.all([add(1), add(2)]);
    await settle();
    manual.fail(0, conflict(code));
    await settle();
    expect(manual.batches()).toEqual([
      [1, 2],
      [1, 2],
    ]);
    manual.finish(1);
    expect(await answer).toEqual([10, 20]);
  });

  it('gives up after some conflicts, and at once on any other error', async () => {
    let runs = 0;
    const failing = (error: Error) =>
      createCoalescer({
        run: async (_items: number[]): Promise<number[]> => {
          runs += 1;
          throw error;
        },
        maxBatch: 10,
      });
    await expect(failing(conflict('40001')).add(1)).rejects.toThrow('conflict');
    expect(runs).toBe(6);
    runs = 0;
    await expect(failing(new Error('broken')).add(1)).rejects.toThrow('broken');
    expect(runs).toBe(1);
  });

  it('lets items that cannot be written fail alone, and writes all others once', async () => {
    const written: number[] = [];
    let runs = 0;
    const { add } = createCoalescer({
      run: async (items: number[]) => {
        runs += 1;
        const bad = items.find((item) => item % 50 === 7);
        if (bad !== undefined) throw new Error(`bad ${bad}`);
        written.push(...items);
        return items;
      },
      maxBatch: 256,
    });
    const items = Array.from({ length: 100 }, (_, item) => item);
    const outcomes = await Promise.allSettled(items.map(add));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(
      items.map((item) => (item % 50 === 7 ? 'failed' : item)),
    );
    expect(outcomes[7]).toMatchObject({ reason: { message: 'bad 7' } });
    expect(written.toSorted((a, b) => a - b)).toEqual(items.filter((item) => item % 50 !== 7));
    // By halves: not one transaction for each of the others.
    expect(runs).toBeLessThan(30);
  });

  it('fails a batch whole when the database is gone, and nobody else', async () => {
    const manual = manualRun();
    const { add } = createCoalescer({ run: manual.run, maxBatch: 2 });
    const outcomes = Promise.allSettled([add(1), add(2), add(3)]);
    await settle();
    manual.fail(0, conflict('08006'));
    await settle();
    manual.finish(1);
    expect((await outcomes).map((outcome) => outcome.status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(manual.batches()).toEqual([[1, 2], [3]]);
  });

  it('is idle when everything was answered, and not before', async () => {
    const manual = manualRun();
    const coalescer = createCoalescer({ run: manual.run, maxBatch: 1 });
    await coalescer.idle();
    const answers = Promise.all([coalescer.add(1), coalescer.add(2)]);
    let idle = false;
    const waiting = coalescer.idle().then(() => {
      idle = true;
    });
    await settle();
    manual.finish(0);
    await settle();
    expect(idle).toBe(false);
    manual.finish(1);
    await waiting;
    await answers;
    await coalescer.idle();
  });

  it('answers each caller for its own item, in the order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(), { maxLength: 8 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (turns, maxBatch) => {
          const ran: number[] = [];
          const { add } = createCoalescer({
            run: async (items: number[]) => {
              ran.push(...items);
              await nextTurn();
              return items.map((item) => item + 1);
            },
            maxBatch,
          });
          const answers: Promise<number>[] = [];
          for (const turn of turns) {
            answers.push(...turn.map((item) => add(item)));
            await nextTurn();
          }
          const items = turns.flat();
          expect(await Promise.all(answers)).toEqual(items.map((item) => item + 1));
          expect(ran).toEqual(items);
        },
      ),
      { numRuns: 50 },
    );
  });
});
