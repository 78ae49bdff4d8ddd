// Runs a manifest in a project, or resumes a run that was cut off.
import { readFile } from 'node:fs/promises';
import { isSimulatedModel } from '../../domain/model/model-routing.ts';
import { relative } from 'node:path';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import { attemptsFor } from '../../domain/run/ladder-climb.ts';
import { attemptsOf, attemptsSinceReview, chainOf, createReplay } from '../../domain/run/replay.ts';
import type { Replay } from '../../domain/run/replay.ts';
import { manifestName } from '../../manifest/model.ts';
import { recoverTransactions } from '../apply/transaction.ts';
import { commitRest } from '../git/commit-work.ts';
import { leaveBranch, noteLeft, openBranch } from '../git/run-on-branch.ts';
import { recoverRound } from '../review/round.ts';
import { takeLock } from '../state/lock.ts';
import { dropOldSessions } from '../state/session-record.ts';
import { makeStateDir } from '../state/state-dir.ts';
import { NO_UNUSED_ANSWERS, unusedAnswersOf } from './question.ts';
import type { RunContext, RunEnd, RunOptions } from './context.ts';
import { approvePlan } from './approve-plan.ts';
import { dropChanged, dropCutOff, dropRemoved } from './cut-off-attempts.ts';
import { finishRun } from './finish-run.ts';
import { withKnownState } from './known-state.ts';
import type { RunsOfManifest } from './known-state.ts';
import { findLastRun, isOpen } from './last-run.ts';
import { withContext } from './open-context.ts';
import { namedIn, namesSame } from './prepare.ts';
import { checkCommands, readPlan } from './read-plan.ts';
import type { KnownPlan } from './read-plan.ts';
import { runLoop } from './run-loop.ts';

export async function runManifest(given: RunOptions): Promise<RunEnd> {
  const { stateDir } = given;
  const file = relative(given.root, given.manifestFile);
  // A branch that is still to be made has no runs.
  const runs = {
    file,
    origin: given.git?.kind === 'branch' ? (given.git.branch.origin ?? '') : undefined,
  };
  await makeStateDir(given);
  const lock = takeLock(stateDir, 'starting');
  try {
    await recoverTransactions(given);
    let plan = await readManifest(given, runs);
    checkCommands(plan.manifest, given);
    let last = await findLastRun(stateDir, runs);
    // Asked for before a crash that the journal did not survive to say.
    if (last && (await recoverRound(given, last.record.runId))) {
      last = await findLastRun(stateDir, runs);
    }
    let open = last && isOpen(last) ? last : undefined;
    const notes: RunEventBody[] = [];
    if (open && !namesSame(open.record.named, given.selection)) {
      const place = await placeOf(given, open.record.runId);
      const closed = await closeRun(place, file, plan, open);
      if (closed.status === 'paused') return closed;
      notes.push(closedNote(closed.runId));
      open = undefined;
      plan = await readManifest(given, runs);
    }
    const runId = open?.record.runId ?? given.newRunId();
    lock.name(runId);
    await dropOldSessions(stateDir, runId);
    const unused =
      last === undefined || open !== undefined
        ? NO_UNUSED_ANSWERS
        : unusedAnswersOf(stateDir, last.record, namedIn(plan.order, given.selection));
    const replay = open ?? createReplay([], 0, runId);
    const isResumed = open !== undefined;
    const place = await placeOf(given, runId);
    notes.push(...place.notes);
    const setting = { ...place, runId, isResumed, file, plan, replay, unused, notes };
    const end = await withContext(setting, async (context) => {
      await begin(context);
      const ending = (await approvePlan(context)) ?? (await runLoop(context));
      await commitRest(context);
      if (context.branch && ending.halt === undefined) await noteLeft(context, context.branch);
      return finishRun(context, ending);
    });
    if (place.branch !== undefined && end.status !== 'paused')
      await leaveBranch(given, place.branch);
    return end;
  } finally {
    lock.release();
  }
}

interface RunPlace {
  options: RunOptions;
  branch: RunContext['branch'];
  notes: readonly RunEventBody[];
  packagesFrom?: string;
}

/** Where the run writes: the person's own files, or the folder of its branch. */
async function placeOf(options: RunOptions, runId: string): Promise<RunPlace> {
  const { git } = options;
  if (git?.kind !== 'branch') return { options, branch: undefined, notes: [] };
  const clonesPackages = options.sandbox === undefined;
  const { root, branch, notes } = await openBranch(options, runId, { work: git, clonesPackages });
  // Elsewhere they are in the folder itself.
  const packages = clonesPackages ? {} : { packagesFrom: options.root };
  return { options: { ...options, root }, branch, notes, ...packages };
}

async function readManifest(options: RunOptions, runs: RunsOfManifest): Promise<KnownPlan> {
  const text = await readFile(options.manifestFile, 'utf8');
  const { manifest, order } =
    options.plan?.text === text ? options.plan : readPlan(text, runs.file);
  return { text, order, manifest: await withKnownState(options.stateDir, runs, manifest) };
}

/** Everything that is reported before the first stream starts. */
async function begin(context: RunContext): Promise<void> {
  const { options, manifest, replay, emit, checkpoint, scheduler, tasks } = context;
  const { only, from } = options.selection;
  const models = [...new Set([...tasks.values()].flatMap(({ ladder }) => ladder))];
  emit({
    type: 'run.started',
    runId: context.runId,
    manifest: manifestName(manifest),
    file: context.file,
    notation: manifest.notation,
    model: models.join(', '),
    models,
    simulated: models.every(isSimulatedModel),
    concurrency: options.concurrency,
    ...(options.maxCostUsd !== undefined && { maxCostUsd: options.maxCostUsd }),
    ...(options.args !== undefined && { args: [...options.args] }),
    ...(context.branch && { branch: context.branch }),
    ...(options.requestAnswers && { requestId: options.requestAnswers.requestId }),
    resumed: context.isResumed,
    url: options.url,
    ...(options.sandbox && { sandbox: { hosts: [...options.sandbox.hosts] } }),
    ...(options.agents?.place.isWithout && { agentsWithoutSandbox: true as const }),
    ...(only.length + from.length > 0 && { named: { only, from } }),
    streams: listedStreams(context),
  });
  for (const note of context.notes) emit(note);
  for (const { id, parentStreamId } of context.missed) {
    const root = parentStreamId!;
    const attempts = attemptsOf(chainOf(replay.record, root));
    const attempt = attemptsSinceReview(replay.record, root, attempts) + 1;
    const of = attemptsFor(tasks.get(id)!.ladder, options);
    emit({ type: 'stream.fix', stream: root, fix: id, attempt, of });
  }
  await dropRemoved(context);
  await dropChanged(context);
  await context.settled();
  for (const id of options.selection.skip) {
    for (const change of scheduler.skip(id)) {
      emit({ type: 'stream.status', stream: change.id, ...change });
      checkpoint.set(change.id, { status: change.to });
    }
  }
  checkpoint.setRunStatus('in_progress');
  checkpoint.schedule();
}

function listedStreams({ streams, tasks, waves, leftOut }: RunContext) {
  return streams
    .filter(({ root: parent }) => parent === undefined)
    .map(({ id, status, deps, after }) => ({
      id,
      name: tasks.get(id)!.name,
      wave: waves.get(id) ?? 1,
      status,
      waitsFor: [...deps, ...after],
      ...(after.length > 0 && { after: [...after] }),
      ...(leftOut.has(id) && { leftOut: true as const }),
    }));
}

/**
 * Other streams were named than those of a run that is still open: it ends where it is, and a new
 * one begins. What it has done is done, and answers that it did not come to use are used.
 */
async function closeRun(
  place: RunPlace,
  file: string,
  plan: KnownPlan,
  open: Replay,
): Promise<RunEnd> {
  const { options } = place;
  const { only = [], from = [] } = open.record.named ?? {};
  const events: RunEvent[] = [];
  // Where it was watched it is known as cut off; its end is in the history.
  const { reporter: _, ...unwatched } = options;
  const quiet: RunOptions = {
    ...unwatched,
    selection: { only, from, skip: [] },
    onEvent: (event) => void events.push(event),
  };
  const { runId } = open.record;
  const common = { isResumed: true, file, plan, unused: NO_UNUSED_ANSWERS, notes: [] };
  const setting = { ...place, runId, options: quiet, replay: open, ...common };
  const end = await withContext(setting, async (context) => {
    await dropCutOff(context);
    return finishRun(context, { halt: undefined, isClosed: true });
  });
  // Only a run that could not be closed is the user's business.
  if (end.status === 'paused') events.forEach(options.onEvent);
  return end;
}

function closedNote(runId: string): RunEventBody {
  const message = `${runId} is not finished and not resumed: you named other streams.`;
  return { type: 'run.note', level: 'info', code: 'RUN_CLOSED', message };
}
