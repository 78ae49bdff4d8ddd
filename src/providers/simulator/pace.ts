export interface Pace {
  /** Time to the first token. */
  ttftMs: number;
  chunkMs: number;
  chunkTokens: number;
}

const STANDARD: Pace = { ttftMs: 40, chunkMs: 50, chunkTokens: 10 };

export const PACES: Readonly<Record<string, Pace>> = {
  'sim-instant': { ttftMs: 0, chunkMs: 0, chunkTokens: 32 },
  'sim-fast': { ttftMs: 5, chunkMs: 5, chunkTokens: 10 },
  'sim-standard': STANDARD,
  'sim-slow': { ttftMs: 300, chunkMs: 150, chunkTokens: 3 },
  'sim-demo': { ttftMs: 1500, chunkMs: 400, chunkTokens: 3 },
};

export function paceOf(model: string): Pace {
  const name = model.toLowerCase();
  return (Object.hasOwn(PACES, name) ? PACES[name] : undefined) ?? STANDARD;
}
