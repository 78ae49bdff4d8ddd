import type { Provider, ProviderOutcome, ProviderRequest } from '../../src/providers/provider.ts';
import type { SimulatorClock } from '../../src/providers/simulator/clock.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';

export interface FakeClock extends SimulatorClock {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  sleeps(): number;
}

/** A clock whose time passes only in `sleep`, each time late by as much as told. */
export function fakeClock(options: { late?: number } = {}): FakeClock {
  let now = 0;
  let sleeps = 0;
  return {
    now: () => now,
    sleeps: () => sleeps,
    async sleep(ms) {
      sleeps++;
      now += ms + (options.late ?? 0);
      await Promise.resolve();
    },
  };
}

export function aRequest(change: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    ownerId: 'owner',
    streamId: 'stream',
    model: 'sim-instant',
    prompt: 'Write something.',
    maxTokens: 200_000,
    signal: new AbortController().signal,
    ...change,
  };
}

export async function runSimulator(
  change: Partial<ProviderRequest> & { simulator?: Provider; clock?: SimulatorClock } = {},
): Promise<{ text: string; chunks: string[]; outcome: ProviderOutcome }> {
  const { simulator, clock, ...request } = change;
  const provider = simulator ?? createSimulator({ clock: clock ?? fakeClock() });
  const chunks: string[] = [];
  const outcome = await provider.run(aRequest(request), (delta) => chunks.push(delta));
  return { text: chunks.join(''), chunks, outcome };
}
