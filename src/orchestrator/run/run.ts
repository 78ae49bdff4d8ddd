// Runs a manifest in a project, or goes on with a run that was cut off.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { RunEvent, RunEventBody } from '../../domain/run/events.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { recoverTransactions } from '../apply/transaction.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import { openJournal } from '../state/journal.ts';
import { takeLock } from '../state/lock.ts';
import { journalOf } from '../state/run-folder.ts';
import { makeStateDir } from '../state/state-dir.ts';
import { findLastRun, isOpen } from './last-run.ts';
import { playScene } from './play-scene.ts';
import { namedIn } from './prepare.ts';
import { checkCommands, readPlan } from './read-plan.ts';
import type { RunEnd, RunOptions } from './run-options.ts';
import { NO_UNUSED_ANSWERS, unusedAnswersOf } from './unused-answers.ts';

export async function runManifest(options: RunOptions): Promise<RunEnd> {
  const { root, stateDir } = options;
  const file = relative(root, options.manifestFile);
  await makeStateDir(options);
  const lock = takeLock(stateDir, 'starting');
  try {
    await recoverTransactions(options);
    const text = await readFile(options.manifestFile, 'utf8');
    const { manifest, order } = options.plan?.text === text ? options.plan : readPlan(text, file);
    checkCommands(manifest, options.commands);
    const last = await findLastRun(stateDir, file);
    const open = last && isOpen(last) ? last : undefined;
    const runId = open?.record.runId ?? options.newRunId();
    lock.name(runId);
    const replay = open ?? createReplay([], 0, runId);
    const journal = await openJournal(journalOf(stateDir, runId), {
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
      text,
      onEdited: (changed) => edited.onEdited(changed),
      onProblem: (problem) => tellNotWritten(problem, file, emit),
    });
    try {
      const unused =
        last === undefined || open !== undefined
          ? NO_UNUSED_ANSWERS
          : unusedAnswersOf(stateDir, last.record, namedIn(order, options.selection));
      const read = { options, file, manifest, order };
      const kept = { replay, checkpoint, unused, emit, settled: () => journal.settled() };
      const isResumed = open !== undefined;
      return await playScene({ runId, isResumed, ...read, ...kept, edited });
    } finally {
      await checkpoint.close();
      await journal.close();
    }
  } finally {
    lock.release();
  }
}

function tellNotWritten(
  problem: string,
  file: string,
  emit: (body: RunEventBody) => RunEvent,
): void {
  const message = `How far the run is cannot be written into ${file} (${problem}); it goes on without.`;
  emit({ type: 'run.note', level: 'warning', code: 'MANIFEST_NOT_WRITTEN', message });
}
