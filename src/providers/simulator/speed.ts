import type { Script } from './script-model.ts';

export interface Speed {
  /** Time to the first token. */
  ttftMs: number;
  chunkMs: number;
  chunkTokens: number;
}

const STANDARD: Speed = { ttftMs: 40, chunkMs: 50, chunkTokens: 10 };

export const SPEEDS: Readonly<Record<string, Speed>> = {
  'sim-instant': { ttftMs: 0, chunkMs: 0, chunkTokens: 32 },
  'sim-fast': { ttftMs: 5, chunkMs: 5, chunkTokens: 10 },
  'sim-standard': STANDARD,
  'sim-slow': { ttftMs: 300, chunkMs: 150, chunkTokens: 3 },
  'sim-demo': { ttftMs: 1500, chunkMs: 400, chunkTokens: 3 },
};

export function speedOf(model: string): Speed {
  const name = model.toLowerCase();
  return (Object.hasOwn(SPEEDS, name) ? SPEEDS[name] : undefined) ?? STANDARD;
}

/** The model's own, as far as neither the script nor the operator says otherwise. */
export function scriptedSpeed(model: string, script: Script, paceMs: number | undefined): Speed {
  const speed = speedOf(model);
  return {
    ttftMs: script.ttftMs ?? speed.ttftMs,
    chunkMs: script.chunkMs ?? paceMs ?? speed.chunkMs,
    chunkTokens: speed.chunkTokens,
  };
}
