import { cpSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appliedDirOf } from '../../src/orchestrator/apply/record.ts';
import { recoverTransactions } from '../../src/orchestrator/apply/transaction.ts';
import { stride } from '../support/effort.ts';
import { verifies } from '../support/verifies.ts';
import { placeIn } from './apply-project.ts';
import { FOUR, MODES, STREAM, TWENTY, check, useScenes, isStopped } from './apply-scenes.ts';
import type { Scene, Step } from './apply-scenes.ts';
import { createStoppingDisk } from './apply-stopping-disk.ts';

const scenes = useScenes();

/** Of twenty operations; all places are tried with fewer of them. */
const APART = stride(3);
const LAST = 12;

const recovery: Step = (disk, root) => recoverTransactions(placeIn(root), { disk });

/** Runs a step until the world stops; says whether it did. */
function stops(step: Step, root: string, allowed: number): Promise<boolean> {
  return isStopped(step(createStoppingDisk(allowed).disk, root));
}

/** The last changes are always among them: those after which everything is done. */
function placesIn({ changes }: Scene, apart: number): number[] {
  const places = Array.from({ length: changes }, (_, at) => at);
  return places.filter((at) => at % apart === 0 || at >= changes - LAST);
}

async function stopEverywhere(scene: Scene, apart = 1): Promise<{ before: number; after: number }> {
  const ends = { before: 0, after: 0 };
  for (const allowed of placesIn(scene, apart)) {
    const root = scenes.newRoot();
    cpSync(scene.start, root, { recursive: true });
    expect(await stops(scene.step, root, allowed)).toBe(true);
    await recoverTransactions(placeIn(root), { disk: createStoppingDisk().disk });
    ends[check(root, scene)] += 1;
    rmSync(root, { recursive: true });
  }
  return ends;
}

/** A second crash at every change of the recovery from every crash. */
async function stopTwiceEverywhere(scene: Scene, stride = 1): Promise<number> {
  let trials = 0;
  for (let allowed = 0; allowed < scene.changes; allowed += stride) {
    const crashed = scenes.newRoot();
    cpSync(scene.start, crashed, { recursive: true });
    await stops(scene.step, crashed, allowed);
    for (let again = 0, isOver = false; !isOver; again++) {
      const root = scenes.newRoot();
      cpSync(crashed, root, { recursive: true });
      isOver = !(await stops(recovery, root, again));
      await recoverTransactions(placeIn(root), { disk: createStoppingDisk().disk });
      check(root, scene);
      rmSync(root, { recursive: true });
      trials += 1;
    }
    rmSync(crashed, { recursive: true });
  }
  return trials;
}

describe('a crash while twenty operations are applied', () => {
  it('leaves all or nothing, wherever it comes', async () => {
    verifies('artifact.apply.atomic');
    const scene = await scenes.apply(TWENTY);
    const ends = await stopEverywhere(scene, APART);
    expect(ends.before).toBeGreaterThan(60 / APART);
    expect(ends.after).toBeGreaterThan(0);
  });

  it('leaves all or nothing when the recovery crashes as well, at every change it makes', async () => {
    verifies('artifact.apply.atomic');
    const scene = await scenes.apply(TWENTY);
    // All pairs are tried with fewer operations below.
    expect(await stopTwiceEverywhere(scene, 50)).toBeGreaterThan(50);
  });
});

describe('a crash', () => {
  it('may come twice at any two changes of the disk', async () => {
    const scene = await scenes.apply(FOUR);
    expect(await stopTwiceEverywhere(scene)).toBeGreaterThan(scene.changes * 5);
  });

  it('while modes change may come twice at any two changes of the disk, also during an undo', async () => {
    for (const scene of [await scenes.apply(MODES), await scenes.undo(MODES)]) {
      expect(await stopTwiceEverywhere(scene)).toBeGreaterThan(scene.changes * 5);
    }
  });

  it('during an undo leaves all done or all undone', async () => {
    const ends = await stopEverywhere(await scenes.undo(TWENTY), APART);
    expect(ends.before).toBeGreaterThan(60 / APART);
    expect(ends.after).toBeGreaterThan(0);
  });

  it('during an undo may come twice at any two changes of the disk', async () => {
    const scene = await scenes.undo(FOUR);
    expect(await stopTwiceEverywhere(scene)).toBeGreaterThan(scene.changes * 5);
  });
});

describe('the recovery', () => {
  async function recordAfter(scene: Scene, allowed: number) {
    const root = scenes.newRoot();
    cpSync(scene.start, root, { recursive: true });
    await stops(scene.step, root, allowed);
    const recovered = await recoverTransactions(placeIn(root));
    const end = check(root, scene);
    return { recovered, end, state: await appliedDirOf({ ...placeIn(root), ...STREAM }).state() };
  }

  it('says what became of the stream, as its record does', async () => {
    const apply = await scenes.apply(FOUR);
    const undo = await scenes.undo(FOUR);
    const told = new Set<string>();
    for (const [scene, states] of [
      [apply, { before: 'none', after: 'applied' }],
      [undo, { before: 'applied', after: 'undone' }],
    ] as const) {
      for (let allowed = 0; allowed < scene.changes; allowed++) {
        const { recovered, end, state } = await recordAfter(scene, allowed);
        expect(state).toBe(states[end]);
        const outcome = (scene === apply) === (end === 'after') ? 'applied' : 'undone';
        const expected = { ...STREAM, outcome, conflicts: [] };
        for (const each of recovered) expect(each).toEqual(expected);
        for (const each of recovered) told.add(`${end} ${each.outcome}`);
      }
    }
    expect([...told].sort()).toEqual([
      'after applied',
      'after undone',
      'before applied',
      'before undone',
    ]);
  });
});
