// Opens the journal of a run and puts together all that the run works with.
import { ladderOf } from '../../manifest/ladder.ts';
import { realpathSync } from 'node:fs';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import { INSTRUCTIONS_CUT, cutTexts } from '../../domain/prompt/instructions.ts';
import { adaptiveConcurrency } from '../../domain/run/adaptive-concurrency.ts';
import { createScheduler } from '../../domain/run/scheduler.ts';
import { commandsOf } from '../commands/trust.ts';
import { createContextCollector } from '../context/collect.ts';
import { createFileReader } from '../../project/project-file.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import { openJournal } from '../state/journal.ts';
import { journalOf } from '../state/run-folder.ts';
import { stateWithin } from '../state/state-dir.ts';
import { NO_ANSWER_CACHE, openAnswerCache } from './answer-cache.ts';
import type { AnswerCache } from './answer-cache.ts';
import { withRequestAnswers } from './request-answers.ts';
import { openSandboxes } from '../commands/open-sandboxes.ts';
import { createFileLane } from './file-lane.ts';
import { createPortRanges } from './free-ports.ts';
import { createCacheWarmUp } from './cache-warm-up.ts';
import type { PlannedRun, RunContext, RunOptions } from './context.ts';
import { WITHOUT_INSTRUCTIONS, openInstructions } from './instructions.ts';
import type { Instructions } from './instructions.ts';
import { createModelCaller } from './model-caller.ts';
import { createConflictTest } from './prepare.ts';
import { readAgain } from './read-again.ts';
import type { KnownPlan } from './read-plan.ts';
import { planStreams } from './run-streams.ts';
import { createRunCap } from './run-cap.ts';
import { askWindows } from './served-windows.ts';
import { sharedReadsOf } from './shared-reads.ts';

type Given = 'options' | 'branch' | 'runId' | 'isResumed' | 'file' | 'replay' | 'unused' | 'notes';
export interface RunSetting extends Pick<RunContext, Given> {
  plan: KnownPlan;
  /** On a branch: where the project has its installed packages. */
  packagesFrom?: string | undefined;
}

/** Runs `work` with it; what was opened for it is closed afterwards. */
export async function withContext<T>(
  setting: RunSetting,
  work: (context: RunContext) => Promise<T>,
): Promise<T> {
  const { runId, file, replay, plan } = setting;
  const models = [...plan.manifest.streams.values()].flatMap((stream) =>
    ladderOf(plan.manifest, stream, setting.options),
  );
  const { client, stop } = setting.options;
  const options = { ...setting.options, windowOf: await askWindows(client, models, stop) };
  const { root, stateDir } = options;
  const journal = await openJournal(journalOf(stateDir, runId), {
    now: options.now,
    from: { seq: replay.record.lastSeq, bytes: replay.bytes },
  });
  const emit = (body: RunEventBody) => {
    // Text that grows is for those who look on; nobody needs it afterwards.
    if (body.type === 'stream.progress') {
      const { lastSeq: seq } = replay.record;
      const shown: RunEvent = { v: 1, seq, ts: options.now().toISOString(), ...body };
      options.reporter?.add(shown);
      options.onEvent(shown);
      return shown;
    }
    const event = journal.append(body);
    replay.follow(event);
    options.reporter?.add(event);
    options.onEvent(event);
    return event;
  };
  let onEdited = (_text: string) => {};
  const checkpoint = createCheckpoint({
    file: options.manifestFile,
    text: plan.text,
    isReadOnly: plan.manifest.notation === 'A' || setting.branch !== undefined,
    onEdited: (text) => onEdited(text),
    onProblem: (problem) => void emit(notWritten(problem, file)),
  });
  const sandboxes = await openSandboxes(root, options, setting.packagesFrom);
  try {
    const { manifest, order } = plan;
    const { record } = replay;
    const planned = planStreams({ options, manifest, order, record, checkpoint });
    const { streams, tasks } = planned;
    const collector = createContextCollector({ root });
    const reader = createFileReader(realpathSync.native(root));
    const instructions =
      options.instructions === false
        ? WITHOUT_INSTRUCTIONS
        : await openInstructions({ stateDir, runId }, tasks.values(), { collector, reader });
    const context: RunContext = {
      ...setting,
      ...planned,
      options,
      notes: [...setting.notes, ...(setting.isResumed ? [] : cutNotes(planned, instructions))],
      root,
      stateDir,
      startedAt: options.now().getTime(),
      manifest,
      order,
      checkpoint,
      emit,
      record: async (body) => {
        const event = emit(body);
        await journal.settled();
        return event;
      },
      settled: () => journal.settled(),
      commands: options.commands ?? new Set(commandsOf(manifest)),
      protectedPaths: [file, ...stateWithin(options)],
      sharedReads: sharedReadsOf(tasks.values()),
      instructions,
      scheduler: createScheduler({
        streams,
        concurrency: options.concurrency,
        conflicts: createConflictTest(tasks),
        ...(options.laneLimits && { laneLimits: options.laneLimits }),
      }),
      callsAtOnce: options.callsAtOnce ?? adaptiveConcurrency(options.concurrency),
      caller: createModelCaller(options.client, { isLive: options.isLive }),
      collector,
      reader,
      cap: createRunCap(options.client, {
        runId,
        limitUsd: options.maxCostUsd,
        hadLimit: setting.isResumed,
        chainOf: (root) => [
          root,
          ...[...replay.record.fixes].flatMap(([fix, of]) => (of === root ? [fix] : [])),
        ],
      }),
      answers: answersOf(options, stateDir),
      runSandbox: sandboxes?.run,
      commandSandbox: sandboxes?.commands,
      lane: createFileLane(options.verifyConcurrency),
      portsFor: createPortRanges(),
      warmUp: createCacheWarmUp({ isOn: options.warm }),
    };
    onEdited = (text) => readAgain(context, text);
    try {
      return await work(context);
    } finally {
      await context.answers.settled();
    }
  } finally {
    await sandboxes?.run.close();
    await checkpoint.close();
    await journal.close();
  }
}

function cutNotes({ streams, tasks }: PlannedRun, instructions: Instructions): RunEventBody[] {
  const open = streams.filter(({ status }) => status === 'pending');
  const shown = open.map(({ id }) => [id, instructions.of(tasks.get(id)!)] as const);
  return cutTexts(shown).map((message) => ({
    type: 'run.note',
    level: 'warning',
    code: INSTRUCTIONS_CUT,
    message,
  }));
}

function notWritten(problem: string, file: string): RunEventBody {
  const message = `Progress cannot be written into ${file} (${problem}); the run continues without it.`;
  return { type: 'run.note', level: 'warning', code: 'MANIFEST_NOT_WRITTEN', message };
}

function answersOf({ requestAnswers, ...options }: RunOptions, stateDir: string): AnswerCache {
  const local = options.cache === false ? NO_ANSWER_CACHE : openAnswerCache(stateDir, options);
  return requestAnswers === undefined ? local : withRequestAnswers(local, requestAnswers);
}
