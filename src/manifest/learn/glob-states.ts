// Walking down a tree of paths with a glob: the places in the glob at which a path may have arrived.
// No place left means that nothing below can match, whatever it is called.
import type { Segment } from '../patterns/segment.ts';
import { nameMatches } from '../patterns/segment.ts';

/** `**` in the middle may stand for no segment at all; at the end it stands for at least one. */
function arrive(segments: readonly Segment[], at: number, places: number[]): void {
  if (places.includes(at)) return;
  places.push(at);
  if (segments[at]?.kind === 'globstar' && at < segments.length - 1) {
    arrive(segments, at + 1, places);
  }
}

export function startPlaces(segments: readonly Segment[], from: number): number[] {
  const places: number[] = [];
  arrive(segments, from, places);
  return places;
}

export function nextPlaces(
  segments: readonly Segment[],
  places: readonly number[],
  name: string,
): number[] {
  const next: number[] = [];
  for (const at of places) {
    const segment = segments[at];
    if (segment === undefined) continue;
    if (segment.kind === 'globstar') {
      arrive(segments, at, next);
      if (at === segments.length - 1) arrive(segments, at + 1, next);
    } else if (nameMatches(segment, name)) arrive(segments, at + 1, next);
  }
  return next;
}
