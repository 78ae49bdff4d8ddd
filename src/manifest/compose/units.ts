// A stream that was split by size is still one unit of work: whether it pays to run it beside others, or to
// join it with them, was decided before the split and must be decided alike when the rules run again. The ids of
// its parts say so, because a manifest holds nothing else that a second run could know it by.
import type { DraftStream } from './draft.ts';

const PART = /^(.+)-part-[1-9]\d{0,3}$/;

export function unitOf(id: string): string {
  return PART.exec(id)?.[1] ?? id;
}

export interface Unit {
  id: string;
  streams: DraftStream[];
  owns: string[];
}

export function unitsOf(streams: readonly DraftStream[]): Unit[] {
  const units = new Map<string, Unit>();
  for (const stream of streams) {
    const id = unitOf(stream.id);
    let unit = units.get(id);
    if (unit === undefined) units.set(id, (unit = { id, streams: [], owns: [] }));
    unit.streams.push(stream);
    unit.owns.push(...stream.owns);
  }
  return [...units.values()];
}
