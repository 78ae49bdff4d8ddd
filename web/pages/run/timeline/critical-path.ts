// The chain of streams that decided how long the run took: each waited for the one before it.
import type { RunProjection } from '../../../../src/domain/run/projection.ts';
import type { RunSpans } from './spans.ts';

export function criticalPath(projection: RunProjection, { streams }: RunSpans): string[] {
  const endOf = (id: string) => {
    const times = streams.get(id);
    if (times?.startedAt === undefined) return undefined;
    return times.endedAt ?? Infinity;
  };
  const latest = (ids: readonly string[]): string | undefined => {
    let best: { id: string; at: number } | undefined;
    for (const id of ids) {
      const at = endOf(id);
      if (at !== undefined && (best === undefined || at > best.at)) best = { id, at };
    }
    return best?.id;
  };
  const own = [...projection.streams.values()].filter(({ fixOf }) => fixOf === undefined);
  const path: string[] = [];
  for (let id = latest(own.map((row) => row.id)); id !== undefined && !path.includes(id);) {
    path.unshift(id);
    id = latest(projection.streams.get(id)?.waitsFor ?? []);
  }
  return path;
}
