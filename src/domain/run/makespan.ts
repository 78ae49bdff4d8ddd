// How long a run takes when each stream takes as long as its weight: the scheduler that runs them,
// without the waiting.
import { createHeap } from '../../manifest/heap.ts';
import { createScheduler } from './scheduler.ts';
import type { RunStream } from './scheduler.ts';

export function makespan(
  streams: readonly Pick<RunStream, 'id' | 'deps' | 'after' | 'weight'>[],
  places: number,
): number {
  const rest = { status: 'pending', attempts: 0, optional: false, lane: '' } as const;
  const scheduler = createScheduler({
    streams: streams.map((stream) => ({ ...rest, ...stream })),
    concurrency: places,
  });
  const ends = createHeap<{ at: number; id: string }>((a, b) => a.at - b.at);
  let now = 0;
  for (;;) {
    for (const id of scheduler.startReady()) {
      ends.push({ at: now + scheduler.stream(id).weight, id });
    }
    const next = ends.pop();
    if (next === undefined) return now;
    now = next.at;
    scheduler.complete(next.id);
  }
}
