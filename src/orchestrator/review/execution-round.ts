// The life of a submit that asks for changes of an execution, as in `round.ts`: begun, entered, over. The fix streams are a
// run of their own that keeps what it makes; that is written here, or held back with the rest.
import { join } from 'node:path';
import { REVIEW, appliedDirOf } from '../apply/record.ts';
import { stageArtifact } from '../apply/stage.ts';
import { applyChanges } from '../apply/transaction.ts';
import { keptArtifacts } from '../changes/kept-artifacts.ts';
import { readManifestNow } from '../changes/read-manifest.ts';
import { createReplay } from '../../domain/run/replay.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import { findRun, stateOfRun } from '../project/find-run.ts';
import type { FoundRun } from '../project/find-run.ts';
import { lockedError, withProjectLock } from '../project/with-lock.ts';
import { findLastRun } from '../run/last-run.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft, writeDraft } from './draft.ts';
import type { ReviewDraft } from './draft.ts';
import type { OpenRound } from './open-review.ts';
import { draftAfter } from './round.ts';
import { readRound, removeRound, writeRound } from './round-record.ts';
import type { RoundRecord } from './round-record.ts';

/** The record of what fixes have written of an execution; no step can be called so. */
const FIXES = '.fixes';

/** Where nothing is left to be made by a model, the round is over with that. */
export async function enterExecutionRound(
  stateDir: string,
  id: string,
  round: RoundRecord,
): Promise<void> {
  await writeDraft(stateDir, id, await draftAfter(stateDir, id, round));
  if (round.fixes.length === 0) await writeRound(stateDir, id, { ...round, state: 'over' });
}

/** After a crash. The caller holds the lock of the project, and transactions have been recovered. */
export async function recoverExecutionRound(project: ProjectPlace, id: string): Promise<void> {
  const { stateDir } = project;
  const round = await readRound(stateDir, id);
  if (round?.state !== 'begun') return;
  const isEntered = (await readDraft(stateDir, id)).round > round.round;
  if (isEntered && round.fixes.length > 0) return;
  if (!isEntered && round.held === undefined) {
    const place = { ...project, runId: id, streamId: REVIEW, attempt: round.attempt };
    if ((await appliedDirOf(place).state()) !== 'applied') return removeRound(stateDir, id);
  }
  await enterExecutionRound(stateDir, id, round);
}

/** How the fixes are made: without being written, and without asking about each. */
const ARGS = ['--apply', 'never'];

/** Undefined when the changes that were asked for are there, or will not be made any more. */
export async function findFixes(project: ProjectPlace, id: string): Promise<OpenRound | undefined> {
  const { stateDir } = project;
  if ((await readRound(stateDir, id))?.state !== 'begun') return undefined;
  return withProjectLock(project, { runId: id, work: 'review' }, async () => {
    await recoverExecutionRound(project, id);
    const round = await readRound(stateDir, id);
    if (round?.state !== 'begun' || round.manifest === undefined) return undefined;
    const file = round.manifest;
    const open = { round: round.round, file, args: ARGS };
    const last = await findLastRun(stateDir, { file });
    if (last === undefined) return { ...open, state: 'interrupted' };
    const run = await findRun(stateDir, last.record.runId);
    const state = stateOfRun(stateDir, run);
    if (state === 'running') throw lockedError(`${run.runId} makes the changes of ${id}.`);
    if (state === 'interrupted' || state === 'paused') return { ...open, state };
    await settleFixes(project, id, { round, run });
    return undefined;
  });
}

/** What the run of the fixes has come to. */
async function settleFixes(
  project: ProjectPlace,
  id: string,
  { round, run }: { round: RoundRecord; run: FoundRun },
): Promise<void> {
  const { stateDir } = project;
  const file = round.manifest!;
  const { text, manifest } = await readManifestNow(project.root, file);
  const kept = await keptArtifacts(stateDir, projectionOf(run.events), manifest);
  const { record } = createReplay(run.events);
  const place = placeOfFixes(project, id, round);
  const isWritten = (await place.state()) === 'applied';
  const written = new Set(isWritten ? await place.files() : []);
  const ends = new Map<string, Made & { why: string }>();
  for (const { fix, comments: ids } of round.fixes) {
    const artifact = kept.findLast(({ task }) => task.id === fix)?.artifact;
    const { operations = [], isExact = false } = artifact ?? {};
    const about = new Set(
      round.comments.flatMap(([one, { path }]) => (ids.includes(one) ? [path] : [])),
    );
    const why = isWritten
      ? operations.every(({ path }) => written.has(path))
        ? undefined
        : 'it could not be written.'
      : await whyUnfit(project, { operations, isExact }, about);
    const isFit = why === undefined && operations.length > 0;
    const said = why === undefined ? whyNot(record, fix) : `${fix}: ${why}`;
    ends.set(fix, { operations: isFit ? operations : [], isExact, why: said });
  }
  const all = [...ends.values()];
  const made = {
    operations: all.flatMap(({ operations }) => operations),
    isExact: all.some(({ isExact }) => isExact),
  };
  const refused =
    round.held === undefined ? await writeMade(project, id, { round, made }) : undefined;
  const draft = await readDraft(stateDir, id);
  const comments = new Map(draft.comments);
  const outcomes = new Map<string, string>();
  let failed: ReviewDraft['failed'];
  for (const { fix, comments: ids } of round.fixes) {
    const { operations, why } = ends.get(fix)!;
    const isDone = operations.length > 0 && refused === undefined;
    if (!isDone) failed ??= { stream: fix, error: refused ?? why, output: '' };
    for (const one of ids) {
      outcomes.set(
        one,
        isDone
          ? `Done by ${fix}.`
          : `Not done: ${refused === undefined ? why : `${fix}: ${refused}`}`,
      );
      const comment = round.comments.find(([known]) => known === one)?.[1];
      // To be submitted again, or taken away.
      if (!isDone && comment !== undefined) comments.set(one, comment);
    }
  }
  const carried = draft.carried.map((comment) => {
    const outcome = comment.round === round.round ? outcomes.get(comment.id) : undefined;
    return outcome === undefined ? comment : { ...comment, outcome: outcome.slice(0, 1000) };
  });
  await writeDraft(stateDir, id, { comments, carried, failed });
  const isHeld = round.held !== undefined;
  await writeRound(stateDir, id, { ...round, ...(isHeld && { made }), state: 'over' });
  // It is written by the review: `apply` of the run has nothing more to do.
  const checkpoint = createCheckpoint({ file: join(project.root, file), text });
  const appliedAt = new Date().toISOString();
  for (const { task } of kept) checkpoint.set(task.id, { status: 'complete', appliedAt });
  await checkpoint.flush();
  await checkpoint.close();
}

type Made = NonNullable<RoundRecord['made']>;

/** A run that keeps its answers has not tried them on the files; undefined when it can be written. */
async function whyUnfit(
  project: ProjectPlace,
  { operations, isExact }: Made,
  about: ReadonlySet<string>,
): Promise<string | undefined> {
  const other = operations.find(({ path }) => !about.has(path));
  if (other !== undefined) return `${other.path} is not what the comments are about.`;
  const { root } = project;
  const place = { root, owns: [], protectedPaths: stateWithin(project) };
  const staged = await stageArtifact({ ...place, operations, isExact });
  if (staged.kind === 'staged') return undefined;
  const [first] = staged.problems;
  return `${first?.path}: ${first?.message}`;
}

const placeOfFixes = (project: ProjectPlace, id: string, { attempt }: RoundRecord) =>
  appliedDirOf({ ...project, runId: id, streamId: FIXES, attempt });

function whyNot({ streams, fixes }: RunRecord, fix: string): string {
  const own = [...fixes].flatMap(([one, of]) => (of === fix ? [one] : []));
  const last = own.at(-1) ?? fix;
  const { status, error } = streams.get(last) ?? {};
  if (status === 'complete') return `${last} changed nothing.`;
  return error === undefined ? 'the run of the fixes was stopped before.' : `${last}: ${error}`;
}

/** Once, however often it is asked for; why it cannot be written, where that is so. */
async function writeMade(
  project: ProjectPlace,
  id: string,
  { round, made }: { round: RoundRecord; made: Made },
): Promise<string | undefined> {
  const { root, stateDir } = project;
  const place = { root, stateDir, runId: id, streamId: FIXES, attempt: round.attempt };
  if (made.operations.length === 0) return undefined;
  if ((await placeOfFixes(project, id, round).state()) === 'applied') return undefined;
  const owned = { root, owns: [], protectedPaths: stateWithin(project) };
  const staged = await stageArtifact({ ...owned, ...made });
  if (staged.kind === 'rejected') return `${staged.problems[0]?.path}: it has changed since.`;
  const done = await applyChanges(place, staged.changes);
  return done.kind === 'conflict' ? `${done.problems[0]?.path}: it has changed since.` : undefined;
}
