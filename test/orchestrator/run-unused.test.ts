// Answers that were paid for, and of which nothing came.
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { feature, reply } from './project.ts';
import type { Project, Ran } from './project.ts';
import { useProjects, writes } from './use-projects.ts';

const { server, stranger, project: create } = useProjects();

const project = (streams: Record<string, object> = { a: writes('a'), b: writes('b') }) =>
  create(streams);

/** Somebody leaves in the middle of the first review: both streams have their answers by then. */
async function leftInReview(place: Project): Promise<Ran> {
  const stop = new AbortController();
  let answers = 0;
  let answered = () => {};
  const both = new Promise<void>((resolve) => (answered = resolve));
  return place.run(server, {
    apply: 'review',
    stop: stop.signal,
    onEvent: (event) => {
      if (event.type === 'stream.answer' && ++answers === 2) answered();
    },
    review: async () => {
      await both;
      stop.abort();
      return new Map();
    },
  });
}

const jobsOf = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'stream.job' ? [event.jobId] : [])).sort();

const usedAgain = ({ events }: Ran) =>
  events.filter((event) => event.type === 'run.note' && event.code === 'ANSWER_USED').length;

describe('a review that somebody leaves', () => {
  it('turns nothing down: the streams are to be done', async () => {
    const place = project();
    const ran = await leftInReview(place);
    expect(ran.status).toBe('cancelled');
    expect(ran.events.filter(({ type }) => type === 'stream.failed')).toEqual([]);
    expect(Object.values(place.streams()).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ]);
    expect(place.exists('a.txt') || place.exists('b.txt')).toBe(false);
  });
});

describe('answers that a stopped run had got', () => {
  const again = async (place: Project, options: Partial<RunOptions> = {}) => {
    const first = await leftInReview(place);
    expect(first.totals.costUsd).toBeGreaterThan(0);
    return { first, second: await place.run(server, options) };
  };

  it('are used by the next one, and not paid for again', async () => {
    const place = project();
    const { first, second } = await again(place);
    expect(second.status).toBe('complete');
    expect(second.runId).not.toBe(first.runId);
    expect(jobsOf(second)).toEqual(jobsOf(first));
    expect(usedAgain(second)).toBe(2);
    expect(second.totals).toMatchObject({ costUsd: 0, tokens: { input: 0, output: 0 } });
    expect([place.read('a.txt'), place.read('b.txt')]).toEqual(['a\n', 'b\n']);
  });

  it('are used also within the smallest budget, and of streams that are named', async () => {
    const { second } = await again(project(), {
      maxCostUsd: 0.000_001,
      selection: { only: ['a'], from: [], skip: [] },
    });
    expect(second.status).toBe('complete');
    expect(usedAgain(second)).toBe(1);
  });

  it('are not used for another question', async () => {
    const place = project();
    const first = await leftInReview(place);
    const streams = place.streams() as Record<string, object>;
    streams['a'] = writes('a', { plan: reply({ 'a.txt': 'other\n' }) });
    place.write('millrace.yaml', feature(streams));
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(usedAgain(second)).toBe(1);
    expect(jobsOf(second)).not.toEqual(jobsOf(first));
    expect(place.read('a.txt')).toBe('other\n');
  });

  it('are asked for again when the server does not have them', async () => {
    const place = project();
    await leftInReview(place);
    const second = await place.run(await stranger());
    expect(second.status).toBe('complete');
    expect(second.totals.costUsd).toBeGreaterThan(0);
    expect(place.read('a.txt')).toBe('a\n');
  });
});

describe('a question that cannot be written down', () => {
  it('pauses the run, also while an unused answer is looked for', async () => {
    const place = project();
    await leftInReview(place);
    const runId = 'run_zzz';
    // A file where the folder of the questions is to be.
    place.write(`.millrace/runs/${runId}/calls`, '');
    const second = await place.run(server, { newRunId: () => runId });
    expect(second.status).toBe('paused');
    expect(second.halt?.kind).toBe('broken');
    expect(place.exists('a.txt')).toBe(false);
  });
});

describe('answers that were kept', () => {
  it('are applied by the next run', async () => {
    const place = project();
    const first = await place.run(server, { apply: 'never' });
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(jobsOf(second)).toEqual(jobsOf(first));
    expect(second.totals.costUsd).toBe(0);
    expect(place.read('a.txt')).toBe('a\n');
  });

  it('are made anew of streams that are named', async () => {
    const place = project();
    const first = await place.run(server, { apply: 'never' });
    const second = await place.run(server, { selection: { only: ['a'], from: [], skip: [] } });
    expect(second.status).toBe('complete');
    expect(usedAgain(second)).toBe(0);
    expect(jobsOf(first)).not.toContain(jobsOf(second)[0]);
  });
});

describe('an answer whose files failed their check', () => {
  it('is not used again', async () => {
    const place = project({ a: writes('a', { verify: ['exit 1'] }) });
    const first = await place.run(server, { maxAttempts: 1 });
    expect(first.status).toBe('failed');
    const second = await place.run(server, { maxAttempts: 1 });
    expect(usedAgain(second)).toBe(0);
    expect(jobsOf(second)).not.toEqual(jobsOf(first));
  });
});
