import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { findRun, projectionOf, revertRun, stateOfRun } from '../../src/orchestrator/index.ts';
import { journalOf } from '../../src/orchestrator/state/run-folder.ts';
import { placeIn } from './apply-project.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { useProjects, writes } from './use-projects.ts';

const { server, project } = useProjects();

/** Could cost $3, by the prices of these tests: a small budget pauses the run here. */
const DEAR = { maxTokens: 200_000 };
const SMALL_BUDGET = { model: PRICED_MODEL, maxCostUsd: 1 };
const named = (only: string[], from: string[] = []) => ({ selection: { only, from, skip: [] } });

const startedIn = ({ events }: { events: readonly RunEvent[] }) =>
  events.flatMap((event) => (event.type === 'stream.started' ? [event.stream] : []));

describe('a run that is resumed', () => {
  it('does not build on a stream that was skipped because another one failed', async () => {
    const place = project({
      bad: writes('bad', { verify: ['exit 1'] }),
      extra: writes('extra', { deps: ['bad'], optional: true }),
      behind: writes('behind', { deps: ['extra'] }),
      dear: writes('dear', DEAR),
    });
    const first = await place.run(server, { ...SMALL_BUDGET, maxAttempts: 1 });
    expect(first.status).toBe('paused');
    expect(place.streams()).toMatchObject({
      extra: { status: 'skipped' },
      behind: { status: 'blocked' },
    });
    const second = await place.run(server, { maxAttempts: 1 });
    expect(second.runId).toBe(first.runId);
    expect(second.of('behind')).not.toContain('stream.started');
    expect(startedIn(second)).not.toContain('extra');
    expect(second.status).toBe('failed');
    expect(place.exists('behind.txt')).toBe(false);
    expect(place.exists('dear.txt')).toBe(true);
  });

  it('does not count work that was reverted while it was paused', async () => {
    const place = project({ cheap: writes('cheap'), dear: writes('dear', DEAR) });
    const first = await place.run(server, SMALL_BUDGET);
    expect(first.status).toBe('paused');
    const { stateDir } = placeIn(place.root);
    const found = await findRun(stateDir, first.runId);
    const options = { force: false, onProblem: () => {} };
    expect(await revertRun(placeIn(place.root), found, options)).toMatchObject({
      files: ['cheap.txt'],
      streams: ['cheap'],
    });
    expect(stateOfRun(stateDir, await findRun(stateDir, first.runId))).toBe('cancelled');
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(startedIn(second).toSorted()).toEqual(['cheap', 'dear']);
    expect(place.exists('cheap.txt')).toBe(true);
    // One that had ended stays as it ended.
    await revertRun(placeIn(place.root), await findRun(stateDir, second.runId), options);
    const reverted = await findRun(stateDir, second.runId);
    expect(stateOfRun(stateDir, reverted)).toBe('complete');
    expect(reverted.events.at(-1)).toMatchObject({ type: 'run.reverted' });
    expect(projectionOf(reverted.events)).toMatchObject({ isReverted: true });
    expect((await place.run(server)).runId).not.toBe(second.runId);
  });

  it('tries again what a failure skipped, and leaves what the user skipped', async () => {
    const place = project({
      now: writes('now', { status: 'skipped', error: 'in other words', skippedBy: 'bad' }),
      mine: writes('mine', { status: 'skipped' }),
    });
    expect(startedIn(await place.run(server)).toSorted()).toEqual(['now']);
    expect(place.streams()['now']).not.toHaveProperty('skippedBy');
  });

  it('still takes a stream that the user skipped for done', async () => {
    const place = project({
      dear: writes('dear', DEAR),
      left: writes('left'),
      behind: writes('behind', { deps: ['left', 'dear'] }),
    });
    const skip = { selection: { only: [], from: [], skip: ['left'] } };
    expect((await place.run(server, { ...SMALL_BUDGET, ...skip })).status).toBe('paused');
    const second = await place.run(server);
    expect(second.status).toBe('complete');
    expect(place.exists('left.txt')).toBe(false);
    expect(place.exists('behind.txt')).toBe(true);
  });
});

describe('an open run, and other streams named', () => {
  it('runs only what was named, again, and leaves the rest to a later run', async () => {
    const place = project({
      done: writes('done'),
      dear: writes('dear', DEAR),
      last: writes('last', { deps: ['dear'] }),
    });
    const first = await place.run(server, SMALL_BUDGET);
    expect(first.status).toBe('paused');

    const only = await place.run(server, named(['done']));
    expect(only.status).toBe('complete');
    expect(startedIn(only)).toEqual(['done']);
    expect(place.exists('dear.txt')).toBe(false);
    expect(place.streams()).toMatchObject({
      done: { status: 'complete' },
      dear: { status: 'pending' },
      last: { status: 'pending' },
    });

    const rest = await place.run(server);
    expect(rest.status).toBe('complete');
    expect(startedIn(rest)).toEqual(['dear', 'last']);
  });

  it('runs a stream and all behind it again', async () => {
    const place = project({
      one: writes('one'),
      two: writes('two', { deps: ['one'] }),
      dear: writes('dear', DEAR),
    });
    expect((await place.run(server, SMALL_BUDGET)).status).toBe('paused');
    const from = await place.run(server, named([], ['one']));
    expect(startedIn(from)).toEqual(['one', 'two']);
  });

  it('resumes the run when the same ones are named, and does nothing twice', async () => {
    const place = project({
      one: writes('one'),
      dear: writes('dear', DEAR),
      other: writes('other'),
    });
    const names = named(['one', 'dear']);
    const first = await place.run(server, { ...SMALL_BUDGET, ...names });
    expect(startedIn(first)).toContain('one');
    const second = await place.run(server, named(['dear', 'one']));
    expect(second.runId).toBe(first.runId);
    expect(startedIn(second)).not.toContain('one');
    expect(place.exists('dear.txt')).toBe(true);
    expect(place.exists('other.txt')).toBe(false);
    expect(startedIn(await place.run(server))).toEqual(['other']);
  });

  it('does not do again what the journal knows and the manifest does not say yet', async () => {
    const place = project({ one: writes('one'), two: writes('two'), dear: writes('dear', DEAR) });
    const before = place.read('millrace.yaml');
    expect((await place.run(server, SMALL_BUDGET)).status).toBe('paused');
    // As a process leaves it that is killed before the manifest is written.
    place.write('millrace.yaml', before);
    expect(startedIn(await place.run(server, named(['two'])))).toEqual(['two']);
    expect(startedIn(await place.run(server))).toEqual(['dear']);
  });
});

describe('a budget', () => {
  it('knows what was spent when the cost of one call is not known', async () => {
    const place = project({ one: writes('one'), two: writes('two'), dear: writes('dear', DEAR) });
    const first = await place.run(server, SMALL_BUDGET);
    const journal = journalOf(placeIn(place.root).stateDir, first.runId);
    const events = readFileSync(journal, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    // One call at a price that nobody knew, the other one dear.
    for (const event of events) {
      if (event.type !== 'stream.answer') continue;
      event.costUsd = event.stream === 'one' ? null : 14;
    }
    writeFileSync(journal, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    // What may still be spent is for the server to say, which knows what was spent; the totals are of the journal.
    const second = await place.run(server, { ...SMALL_BUDGET, maxCostUsd: 0.01 });
    expect(second.halt?.kind).toBe('budget');
    expect(second.totals).toMatchObject({ costUsd: null, knownCostUsd: 14, unpricedCalls: 1 });
    expect((await place.run(server, { model: PRICED_MODEL, maxCostUsd: 20 })).status).toBe(
      'complete',
    );
  });
});
