// Deps without circles. Units wait for units: a stream that was split keeps the order that it had as a whole,
// and every part of it waits for every part of what it waited for.
import type { DraftStream } from './draft.ts';
import { createOrder } from './order.ts';
import { unitOf } from './units.ts';

export interface WantedDep {
  stream: string;
  dep: string;
}

export interface SettledDeps {
  streams: DraftStream[];
  /** Those that would have closed a circle. */
  dropped: WantedDep[];
  /** Whether one stream waits for another, directly or not. */
  waits(stream: string, dep: string): boolean;
}

function numbered(names: Iterable<string>): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const name of names) if (!numbers.has(name)) numbers.set(name, numbers.size);
  return numbers;
}

/** The streams' own deps come first, so that what is settled once stays; then those that are wanted in addition. */
export function settleDeps(
  streams: readonly DraftStream[],
  wanted: readonly WantedDep[] = [],
): SettledDeps {
  const numbers = numbered(streams.map(({ id }) => id));
  const unitNumbers = numbered(streams.map(({ id }) => unitOf(id)));
  const within = createOrder(numbers.size);
  const between = createOrder(unitNumbers.size);
  const kept = new Map<string, Set<string>>(streams.map(({ id }) => [id, new Set()]));
  const unitDeps = new Map<string, Set<string>>();
  const dropped: WantedDep[] = [];
  const own = streams.flatMap(({ id, deps }) => deps.map((dep) => ({ stream: id, dep })));
  for (const { stream, dep } of [...own, ...wanted]) {
    if (!numbers.has(dep) || stream === dep) continue;
    const [unit, other] = [unitOf(stream), unitOf(dep)];
    const isAdded =
      unit === other
        ? within.add(numbers.get(stream)!, numbers.get(dep)!)
        : between.add(unitNumbers.get(unit)!, unitNumbers.get(other)!);
    if (!isAdded) {
      dropped.push({ stream, dep });
      continue;
    }
    kept.get(stream)!.add(dep);
    if (unit !== other) unitDeps.set(unit, (unitDeps.get(unit) ?? new Set()).add(other));
  }
  for (const { id } of streams) {
    const units = unitDeps.get(unitOf(id));
    if (units === undefined) continue;
    for (const other of streams) if (units.has(unitOf(other.id))) kept.get(id)!.add(other.id);
  }
  return {
    streams: streams.map((stream) => ({ ...stream, deps: [...kept.get(stream.id)!] })),
    dropped,
    waits(stream, dep) {
      const [unit, other] = [unitOf(stream), unitOf(dep)];
      return unit === other
        ? within.waits(numbers.get(stream)!, numbers.get(dep)!)
        : between.waits(unitNumbers.get(unit)!, unitNumbers.get(other)!);
    },
  };
}
