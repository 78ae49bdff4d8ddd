import { cpSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appliedDirOf } from '../../src/orchestrator/apply/record.ts';
import { recoverTransactions } from '../../src/orchestrator/apply/transaction.ts';
import { stride } from '../support/effort.ts';
import { verifies } from '../support/verifies.ts';
import { createPowerCutDisk } from './apply-power-cut-disk.ts';
import type { Survivors } from './apply-power-cut-disk.ts';
import { placeIn } from './apply-project.ts';
import { FOUR, STREAM, TWENTY, check, useScenes, isStopped } from './apply-scenes.ts';
import type { Scene } from './apply-scenes.ts';
import { createStoppingDisk } from './apply-stopping-disk.ts';

const scenes = useScenes();

interface Cut {
  /** Changes of names that were not safe at the moment. */
  unsafe: number;
  hasStopped: boolean;
  end: 'before' | 'after';
  state: string;
}

/** The power goes at a change of the disk, and a few of the unsafe names have made it. */
async function cutAt(scene: Scene, allowed: number, kept: Survivors): Promise<Cut> {
  const root = scenes.newRoot();
  cpSync(scene.start, root, { recursive: true });
  const power = createPowerCutDisk(allowed, `${root}-gone`);
  const hasStopped = await isStopped(scene.step(power.disk, root));
  const unsafe = power.unsafe();
  power.cut(kept);
  await recoverTransactions(placeIn(root), { disk: createStoppingDisk().disk });
  const end = check(root, scene);
  const state = await appliedDirOf({ ...placeIn(root), ...STREAM }).state();
  for (const used of [root, `${root}-gone`]) rmSync(used, { recursive: true });
  return { unsafe, hasStopped, end, state };
}

async function cutEverywhere(scene: Scene, states: { before: string; after: string }) {
  const ends = { before: 0, after: 0 };
  let [trials, mostUnsafe] = [0, 0];
  for (let allowed = 0; allowed <= scene.changes; allowed++) {
    for (let at = 0, unsafe = 0; at <= unsafe; at++) {
      for (const kept of [
        { kind: 'first', count: at },
        { kind: 'only', index: at },
      ] as const) {
        const cut = await cutAt(scene, allowed, kept);
        ({ unsafe } = cut);
        mostUnsafe = Math.max(mostUnsafe, unsafe);
        expect(cut.state).toBe(states[cut.end]);
        // What was told to be done stays done.
        if (!cut.hasStopped) expect(cut.end).toBe('after');
        ends[cut.end] += 1;
        trials += 1;
      }
    }
  }
  return { ...ends, trials, mostUnsafe };
}

/** Of twenty operations; all places are tried with fewer of them. */
const APART = stride(3);

describe('a power cut', () => {
  it('while files are applied leaves all or nothing, whichever names were lost', async () => {
    verifies('artifact.apply.atomic');
    const scene = await scenes.apply(FOUR);
    const cuts = await cutEverywhere(scene, { before: 'none', after: 'applied' });
    expect(cuts.mostUnsafe).toBeGreaterThan(3);
    expect(cuts.trials).toBeGreaterThan(scene.changes * 2);
    expect(cuts.after).toBeGreaterThan(1);
  });

  it('while files are taken back leaves all done or all undone', async () => {
    const scene = await scenes.undo(FOUR);
    const cuts = await cutEverywhere(scene, { before: 'applied', after: 'undone' });
    expect(cuts.trials).toBeGreaterThan(scene.changes * 2);
    expect(cuts.after).toBeGreaterThan(1);
  });

  it('while twenty operations are applied loses all that was not safe, and still leaves all or nothing', async () => {
    const scene = await scenes.apply(TWENTY);
    for (let allowed = 0; allowed <= scene.changes; allowed += APART) {
      const { end, state } = await cutAt(scene, allowed, { kind: 'first', count: 0 });
      expect(state).toBe(end === 'before' ? 'none' : 'applied');
    }
  });
});
