// The streams of a run with the state that each begins in.
import { ladderOf } from '../../manifest/ladder.ts';
import { fixTargetOf, stateOf } from '../../manifest/model.ts';
import type { FeatureStream, Manifest, WorkflowStream } from '../../manifest/model.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import { fixId, isTakenIn, makeFix } from '../../domain/run/fix-stream.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import { attemptsFor } from '../../domain/run/ladder-climb.ts';
import { applyFix, attemptsOf, attemptsSinceReview, chainOf } from '../../domain/run/replay.ts';
import type { RunRecord, StreamRecord } from '../../domain/run/replay.ts';
import type { RunStream } from '../../domain/run/scheduler.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import { addToManifest } from './fix-details.ts';
import { fixesOf, freshStatus, namedIn, selected } from './prepare.ts';
import type { PlannedRun, RunOptions } from './context.ts';
import { toTask } from './task.ts';
import type { RunTask } from './task.ts';

interface Known {
  status: RunStream['status'];
  attempts: number;
  isSkippedByFailure?: boolean;
  isDenied?: boolean;
}

/** An attempt that was cut off is made again under its own number. */
function resumedState(stream: StreamRecord): Known {
  const isOpen = stream.open !== undefined;
  const status = isOpen || stream.status === 'in_progress' ? 'pending' : stream.status;
  const isSkippedByFailure = status === 'skipped' && stream.skippedBy === 'failure';
  const isDenied = status === 'skipped' && stream.skippedBy === 'denial';
  const attempts = isOpen ? stream.attempt - 1 : stream.attempt;
  return {
    status,
    attempts,
    ...(isSkippedByFailure && { isSkippedByFailure }),
    ...(isDenied && { isDenied }),
  };
}

export function planStreams(inputs: {
  options: RunOptions;
  manifest: Manifest;
  order: StreamOrder;
  record: RunRecord;
  checkpoint: Checkpoint;
}): PlannedRun {
  const { options, manifest, order, record, checkpoint } = inputs;
  const isResumed = record.lastSeq > 0;
  const chosen = selected(order, options.selection);
  const named = namedIn(order, options.selection);
  const maps = { tasks: new Map(), waves: new Map(), leftOut: new Set<string>() };
  const plan: PlannedRun = { streams: [], ...maps, missed: [] };

  function add(task: RunTask, known: Known, optional: boolean): void {
    const waits = order.streams.get(task.root ?? task.id)?.waitsFor ?? [];
    plan.tasks.set(task.id, task);
    plan.streams.push({
      id: task.id,
      ...known,
      optional,
      deps: waits.filter(({ reason }) => reason === 'dep').map(({ id }) => id),
      after: waits.filter(({ reason }) => reason === 'owns').map(({ id }) => id),
      weight: options.weightOf?.(task) ?? 1,
      lane: options.laneOf(task.model),
      ...(task.root !== undefined && { root: task.root }),
    });
  }

  for (const fix of record.fixes.keys()) applyFix(record, fix);
  for (const stream of manifest.streams.values()) {
    const { status } = stateOf(stream);
    if (fixTargetOf(manifest, stream) !== undefined) {
      // Fixes of an earlier run are over; those of this one are in its journal.
      if (!isResumed && status !== 'complete') checkpoint.removeStream(stream.id);
      continue;
    }
    plan.waves.set(stream.id, order.streams.get(stream.id)!.wave);
    const earlier = record.streams.get(stream.id);
    const known = earlier && isResumed ? resumedState(earlier) : fresh(stream, named, chosen);
    const optional = 'optional' in stream && stream.optional;
    add(toTask(manifest, stream, options), known, optional);
    const isLeftOut = chosen !== undefined && !chosen.has(stream.id);
    if (isLeftOut && known.status === 'skipped') plan.leftOut.add(stream.id);
    if (known.status !== status && !isLeftOut) {
      const clean =
        known.status === 'pending' ? { error: null, appliedAt: null, skippedBy: null } : {};
      const { attempts } = known;
      checkpoint.set(stream.id, { status: known.status, attempts, ...clean });
    }
  }
  const known = fixesOf(manifest, record);
  plan.missed = [...missedFixes(manifest, record, options), ...requestedFixes(manifest, record)];
  const climbs = new Map<string, number>();
  for (const fix of [...known, ...plan.missed]) {
    const earlier = record.streams.get(fix.id);
    const root = fix.parentStreamId!;
    record.fixes.set(fix.id, root);
    const known = earlier ? resumedState(earlier) : { status: 'pending' as const, attempts: 0 };
    const before = climbs.get(root) ?? record.streams.get(root)?.climbs ?? 0;
    climbs.set(root, before + (earlier?.climbs ?? 0));
    add(toTask(manifest, fix, options, before), known, false);
    addToManifest(checkpoint, fix);
  }
  countRootAttempts(plan, record);
  if (isResumed) tellAgain(plan, record, checkpoint);
  return plan;
}

/** What the journal knows and the process that was cut off may not have written. */
function tellAgain({ streams }: PlannedRun, record: RunRecord, checkpoint: Checkpoint): void {
  for (const { id, status, attempts } of streams) {
    const known = record.streams.get(id);
    if (known === undefined || status === 'skipped') continue;
    const error = status === 'failed' ? (known.error ?? null) : null;
    const { appliedAt } = known;
    const applied = appliedAt === undefined ? {} : { appliedAt };
    checkpoint.set(id, { status, error, ...(attempts > 0 && { attempts }), ...applied });
  }
}

/** Not chosen streams count as done: a user who names streams knows what they build on. */
function fresh(
  stream: FeatureStream | WorkflowStream,
  named: ReadonlySet<string>,
  chosen: ReadonlySet<string> | undefined,
): Known {
  const state = stateOf(stream);
  const status = freshStatus(state, named.has(stream.id));
  if (chosen && !chosen.has(stream.id) && status === 'pending') {
    return { status: 'skipped', attempts: state.attempts };
  }
  // The count begins anew with each run: what failed three times yesterday gets three more tries.
  return { status, attempts: status === 'pending' ? 0 : state.attempts };
}

/** A crash right after a failure: it is on record that a fix may be tried, but not the fix. */
function missedFixes(manifest: Manifest, record: RunRecord, options: RunOptions): FixStream[] {
  const requested = new Set(record.requested.values());
  return [...manifest.streams.values()].flatMap((root) => {
    if (fixTargetOf(manifest, root) !== undefined || requested.has(root.id)) return [];
    const chain = chainOf(record, root.id);
    const attempts = attemptsOf(chain);
    const last = chain.at(-1);
    if (last?.status !== 'failed' || !last.mayFix) return [];
    const counted = attemptsSinceReview(record, root.id, attempts);
    if (counted >= attemptsFor(ladderOf(manifest, root, options), options)) return [];
    const isTaken = isTakenIn(manifest.streams, root.id);
    return [makeFix(root, attempts, fixId(root.id, attempts, isTaken))];
  });
}

/** Those that a review has asked for; a stream that is gone meanwhile gets none. */
function requestedFixes(manifest: Manifest, record: RunRecord): FixStream[] {
  return [...record.requested].flatMap(([id, rootId]) => {
    const root = manifest.streams.get(rootId);
    return root ? [makeFix(root, attemptsOf(chainOf(record, rootId)), id)] : [];
  });
}

/** A root's attempts are its own and those of its fixes. */
function countRootAttempts({ streams }: PlannedRun, record: RunRecord): void {
  const byId = new Map(streams.map((stream) => [stream.id, stream]));
  for (const [fix, root] of record.fixes) {
    const stream = byId.get(root);
    if (stream) stream.attempts += byId.get(fix)?.attempts ?? 0;
  }
}
