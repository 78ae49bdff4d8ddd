// Runs a manifest in a project, or resumes a run that was cut off.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import { createReplay } from '../../domain/run/replay.ts';
import type { Replay } from '../../domain/run/replay.ts';
import { recoverTransactions } from '../apply/transaction.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import { openJournal } from '../state/journal.ts';
import { takeLock } from '../state/lock.ts';
import { journalOf } from '../state/run-folder.ts';
import { makeStateDir } from '../state/state-dir.ts';
import { withKnownState } from './known-state.ts';
import { findLastRun, isOpen } from './last-run.ts';
import { closeScene, playScene } from './play-scene.ts';
import { namedIn, namesSame } from './prepare.ts';
import { checkCommands, readPlan } from './read-plan.ts';
import type { KnownPlan } from './read-plan.ts';
import type { RunEnd, RunOptions } from './run-options.ts';
import type { Scene } from './scene.ts';
import { NO_UNUSED_ANSWERS, unusedAnswersOf } from './ask-model.ts';

export async function runManifest(options: RunOptions): Promise<RunEnd> {
  const { root, stateDir } = options;
  const file = relative(root, options.manifestFile);
  await makeStateDir(options);
  const lock = takeLock(stateDir, 'starting');
  try {
    await recoverTransactions(options);
    let plan = await readManifest(options, file);
    checkCommands(plan.manifest, options.commands);
    const last = await findLastRun(stateDir, file);
    let open = last && isOpen(last) ? last : undefined;
    const notes: RunEventBody[] = [];
    if (open && !namesSame(open.record.named, options.selection)) {
      const closed = await closeRun(options, file, plan, open);
      if (closed.status === 'paused') return closed;
      notes.push(closedNote(closed.runId));
      open = undefined;
      plan = await readManifest(options, file);
    }
    const runId = open?.record.runId ?? options.newRunId();
    lock.name(runId);
    const unused =
      last === undefined || open !== undefined
        ? NO_UNUSED_ANSWERS
        : unusedAnswersOf(stateDir, last.record, namedIn(plan.order, options.selection));
    const replay = open ?? createReplay([], 0, runId);
    const isResumed = open !== undefined;
    const setting = { runId, isResumed, options, file, plan, replay, unused, notes };
    return await inScene(setting, playScene);
  } finally {
    lock.release();
  }
}

async function readManifest(options: RunOptions, file: string): Promise<KnownPlan> {
  const text = await readFile(options.manifestFile, 'utf8');
  const { manifest, order } = options.plan?.text === text ? options.plan : readPlan(text, file);
  return { text, order, manifest: await withKnownState(options.stateDir, file, manifest) };
}

interface Setting extends Pick<
  Scene,
  'runId' | 'isResumed' | 'options' | 'file' | 'replay' | 'unused' | 'notes'
> {
  plan: KnownPlan;
}

async function inScene(setting: Setting, play: (scene: Scene) => Promise<RunEnd>): Promise<RunEnd> {
  const { options, file, replay, plan } = setting;
  const journal = await openJournal(journalOf(options.stateDir, setting.runId), {
    now: options.now,
    from: { seq: replay.record.lastSeq, bytes: replay.bytes },
  });
  const emit = (body: RunEventBody) => {
    // Text that grows is for those who look on; nobody needs it afterwards.
    if (body.type === 'stream.progress') {
      const { lastSeq: seq } = replay.record;
      const shown: RunEvent = { v: 1, seq, ts: options.now().toISOString(), ...body };
      options.onEvent(shown);
      return shown;
    }
    const event = journal.append(body);
    replay.follow(event);
    options.onEvent(event);
    return event;
  };
  const edited = { onEdited: (_changed: string) => {} };
  const checkpoint = createCheckpoint({
    file: options.manifestFile,
    text: plan.text,
    isReadOnly: plan.manifest.notation === 'A',
    onEdited: (changed) => edited.onEdited(changed),
    onProblem: (problem) => tellNotWritten(problem, file, emit),
  });
  try {
    const { manifest, order } = plan;
    const settled = () => journal.settled();
    return await play({ ...setting, manifest, order, checkpoint, emit, settled, edited });
  } finally {
    await checkpoint.close();
    await journal.close();
  }
}

/**
 * Other streams were named than those of a run that is still open: it ends where it is, and a new
 * one begins. What it has done is done, and answers that it did not come to use are used.
 */
async function closeRun(
  options: RunOptions,
  file: string,
  plan: KnownPlan,
  open: Replay,
): Promise<RunEnd> {
  const { only = [], from = [] } = open.record.named ?? {};
  const events: RunEvent[] = [];
  const quiet: RunOptions = {
    ...options,
    selection: { only, from, skip: [] },
    onEvent: (event) => void events.push(event),
  };
  const { runId } = open.record;
  const common = { isResumed: true, file, plan, unused: NO_UNUSED_ANSWERS, notes: [] };
  const end = await inScene({ runId, options: quiet, replay: open, ...common }, closeScene);
  // Only a run that could not be closed is the user's business.
  if (end.status === 'paused') events.forEach(options.onEvent);
  return end;
}

function closedNote(runId: string): RunEventBody {
  const message = `${runId} was not finished, and is not resumed: other streams are named now.`;
  return { type: 'run.note', level: 'info', code: 'RUN_CLOSED', message };
}

function tellNotWritten(
  problem: string,
  file: string,
  emit: (body: RunEventBody) => RunEvent,
): void {
  const message = `How far the run is cannot be written into ${file} (${problem}); it goes on without.`;
  emit({ type: 'run.note', level: 'warning', code: 'MANIFEST_NOT_WRITTEN', message });
}
