// What every part of one run works with.
import type { FixDetails } from '../../domain/prompt/prompt.ts';
import type { Budget } from '../../domain/run/budget.ts';
import type { RunEvent, RunEventBody, Tokens } from '../../contract/run-events.ts';
import type { OpenCall } from '../../domain/run/replay.ts';
import type { ContextCollector } from '../context/collect.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { FileChange } from '../apply/file-change.ts';
import type { Lane } from './apply-stream.ts';
import type { ModelCaller } from './model-caller.ts';
import type { RunTask } from './task.ts';
import type { UnusedAnswers } from './ask-model.ts';
import type { Warmth } from './ask-model.ts';

export type ApplyMode = 'auto' | 'never' | 'review';

/** Which of the files may be written; asked for one stream after the other. */
export type Review = (
  task: RunTask,
  changes: readonly FileChange[],
) => Promise<ReadonlySet<string>>;

export interface RunDeps extends ProjectPlace {
  runId: string;
  /** The name of the manifest. */
  feature: string;
  /** Files that no stream may write: the manifest itself. */
  protectedPaths: string[];
  caller: ModelCaller;
  collector: ContextCollector;
  budget: Budget;
  /** The most that a call can cost; null when there is no price for the model. */
  priceOf(model: string, tokens: { input: number; output: number }): number | null;
  lane: Lane;
  warmth: Warmth;
  unused: UnusedAnswers;
  apply: ApplyMode;
  review: Review | undefined;
  env: NodeJS.ProcessEnv;
  scrub(text: string): string;
  now(): Date;
  /** Files that several streams read and none writes. */
  sharedPaths: ReadonlySet<string>;
  /** Shown at once, kept in the journal. */
  emit(event: RunEventBody): RunEvent;
  /** The same, and on disk when it returns: for what the next step depends on. */
  record(event: RunEventBody): Promise<RunEvent>;
  /** Resolves when all that was told so far is on disk. */
  settled(): Promise<void>;
  /** The model has answered: what is left of the stream needs none. */
  onAnswered(stream: string): void;
  /** After a stream is complete, still alone with the files. */
  onComplete(task: RunTask, files: readonly string[]): Promise<void>;
}

/** What a stream that goes on after a crash had done already. */
export interface OpenAttempt {
  calls: readonly OpenCall[];
  applied: boolean;
}

export interface StreamStart {
  task: RunTask;
  wave: number;
  attempt: number;
  open: OpenAttempt | undefined;
  fix: FixDetails | undefined;
}

export interface Usage {
  tokens: Tokens;
  costUsd: number | null;
}
