// How long a plan takes when so many streams run at a time.
import { makespan } from '../../../domain/run/makespan.ts';

export interface QueuedStream {
  id: string;
  durationMs: number;
  waitsFor: readonly string[];
}

export function simulateQueue(streams: readonly QueuedStream[], concurrency: number): number {
  const weighed = streams.map(({ id, durationMs, waitsFor }) => ({
    id,
    weight: durationMs,
    deps: waitsFor,
    after: [],
  }));
  return makespan(weighed, concurrency);
}
