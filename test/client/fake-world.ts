// A world whose clock only moves when somebody sleeps: minutes of waiting take no time.
import { defaultWorld } from '../../src/client/world.ts';
import type { World } from '../../src/client/world.ts';

export interface FakeWorld extends World {
  slept: number[];
  advance(ms: number): void;
}

export function createFakeWorld(random = 0.5): FakeWorld {
  let time = 1_000_000;
  let keys = 0;
  const slept: number[] = [];
  return {
    ...defaultWorld,
    slept,
    advance: (ms) => void (time += ms),
    now: () => time,
    async sleep(ms) {
      slept.push(ms);
      time += ms;
    },
    random: () => random,
    newKey: () => `key-${++keys}`,
  };
}
