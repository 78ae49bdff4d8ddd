// From a manifest and what is known of earlier processes to the streams of this run.
import { fixTargetOf, stateOf } from '../../manifest/model.ts';
import type { Manifest, StreamState, StreamStatus } from '../../manifest/model.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import type { Pattern } from '../../manifest/patterns/pattern.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { NamedStreams } from '../../contract/run-events.ts';
import { makeFix } from '../../domain/run/fix-stream.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import type { RunTask } from './task.ts';

export interface Selection extends NamedStreams {
  skip: readonly string[];
}

/** Whether the same streams were named, in whichever order. */
export function namesSame(a: NamedStreams | undefined, b: NamedStreams | undefined): boolean {
  const key = (ids: readonly string[] = []) => [...new Set(ids)].sort().join(',');
  return key(a?.only) === key(b?.only) && key(a?.from) === key(b?.from);
}

/** The streams that must run again although they ended: named ones and all behind them. */
function streamsFrom(order: StreamOrder, ids: readonly string[]): Set<string> {
  const dependents = new Map<string, string[]>();
  for (const { id, waitsFor } of order.streams.values()) {
    for (const wait of waitsFor) {
      const list = dependents.get(wait.id) ?? [];
      if (wait.reason === 'dep') list.push(id);
      dependents.set(wait.id, list);
    }
  }
  const found = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(dependents.get(id) ?? []));
  }
  return found;
}

/** Streams of the selection; all of them when nothing was selected. */
export function selected(order: StreamOrder, { only, from }: Selection): Set<string> | undefined {
  if (only.length > 0) return new Set(only);
  return from.length > 0 ? streamsFrom(order, from) : undefined;
}

/** Streams that must run whatever became of them. */
export function namedIn(order: StreamOrder, { only, from }: Selection): Set<string> {
  return new Set([...only, ...(from.length > 0 ? streamsFrom(order, from) : [])]);
}

/**
 * A stream that failed, or that was held up by one, gets a new chance in a new run; one that is
 * complete stays so, unless it was named.
 */
export function freshStatus(stream: StreamState, isNamed: boolean): StreamStatus {
  if (stream.status === 'skipped') {
    return stream.skippedBy !== undefined || isNamed ? 'pending' : 'skipped';
  }
  if (isNamed) return 'pending';
  if (stream.appliedAt !== undefined || stream.status === 'complete') return 'complete';
  return 'pending';
}

/** Whether a run that begins now would have anything to do. */
export function hasWork(manifest: Manifest, order: StreamOrder, selection: Selection): boolean {
  const chosen = selected(order, selection);
  const named = namedIn(order, selection);
  return [...manifest.streams.values()].some((stream) => {
    if (selection.skip.includes(stream.id) || chosen?.has(stream.id) === false) return false;
    // A fix belongs to the run that made it; a new run begins with the stream itself.
    if (fixTargetOf(manifest, stream) !== undefined) return false;
    return freshStatus(stateOf(stream), named.has(stream.id)) === 'pending';
  });
}

export function fixesOf(manifest: Manifest, record: RunRecord): FixStream[] {
  const counts = new Map<string, number>();
  return [...record.fixes].flatMap(([id, rootId]) => {
    const root = manifest.streams.get(rootId);
    const number = (counts.get(rootId) ?? 0) + 1;
    counts.set(rootId, number);
    return root ? [makeFix(root, number, id)] : [];
  });
}

/**
 * Whether two tasks own a file that both could write; one that owns nothing is in nobody's way. A
 * task that is another after an edit of the manifest is asked anew.
 */
export function createConflictTest(tasks: ReadonlyMap<string, RunTask>) {
  const patterns = new WeakMap<RunTask, Pattern[]>();
  const of = (id: string) => {
    const task = tasks.get(id);
    if (task === undefined) return patternsOf(undefined);
    let found = patterns.get(task);
    if (found === undefined) patterns.set(task, (found = patternsOf(task.owns)));
    return found;
  };
  return (a: string, b: string) =>
    of(a).some((mine) => of(b).some((theirs) => patternsOverlap(mine, theirs)));
}
