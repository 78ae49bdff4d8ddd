// What one run works with, from its first event to its last: what it was asked to do, what it knows,
// and what it does things with. Every part of the run gets this one object.
import type { RunCap } from './run-cap.ts';
import type { MillraceClient } from '../../client/index.ts';
import type { RunStatus } from '../../contract/history-api.ts';
import type { RunEvent, RunEventBody, RunTotals } from '../../contract/run-events.ts';
import type { FixDetails } from '../../domain/prompt/fix-lines.ts';
import type { FixStream } from '../../domain/run/fix-stream.ts';
import type { AdaptiveConcurrency } from '../../domain/run/adaptive-concurrency.ts';
import type { OpenCall, Replay } from '../../domain/run/replay.ts';
import type { RunStream, Scheduler } from '../../domain/run/scheduler.ts';
import type { Manifest } from '../../manifest/model.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import type { ReviewedFile } from '../review/reviewed-file.ts';
import type { GitWork } from '../git/commit-work.ts';
import type { OpenedBranch } from '../git/run-on-branch.ts';
import type { AgentSetting } from './agent-setting.ts';
import type { AttemptCopy } from './attempt-copy.ts';
import type { CommandSandbox, CommandSandboxOptions } from '../commands/command-sandbox.ts';
import type { RunSandbox } from '../commands/run-sandbox.ts';
import type { ContextCollector } from '../context/collect.ts';
import type { FileReader } from '../../project/project-file.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { Instructions } from './instructions.ts';
import type { FileLane } from './file-lane.ts';
import type { StreamClock } from './stream-clock.ts';
import type { CacheWarmUp } from './cache-warm-up.ts';
import type { Halt } from '../../domain/run/halt.ts';
import type { ModelCaller } from './model-caller.ts';
import type { Selection } from './prepare.ts';
import type { KnownPlan } from './read-plan.ts';
import type { RequestAnswers } from './request-answers.ts';
import type { RunReporter } from './report-run.ts';
import type { UnusedAnswers } from './question.ts';
import type { SharedReads } from './shared-reads.ts';
import type { ModelDefaults, RunTask } from './task.ts';

/** What becomes of finished work: written, kept for later, or written once a person has seen it. */
export type WriteMode = 'auto' | 'never' | 'review';

/** Which of the hunks may be written; asked for one stream after the other. */
export type Review = (task: RunTask, files: readonly ReviewedFile[]) => Promise<Decisions>;

/** What a run is asked to do. */
export interface RunOptions extends ModelDefaults, ProjectPlace {
  /** Absolute. */
  manifestFile: string;
  /** Of a caller that has read it already; it may have been edited since. */
  plan?: KnownPlan;
  client: MillraceClient;
  url: string;
  newRunId(): string;
  concurrency: number;
  /** Learns how many calls to make at once; the maker of the client reports limits to it. */
  callsAtOnce?: AdaptiveConcurrency;
  laneLimits?: ReadonlyMap<string, number>;
  laneOf(model: string): string;
  maxCostUsd: number | undefined;
  /** Flags of the call, to resume the run with; they are kept with it. */
  args?: readonly string[];
  maxAttempts?: number;
  /** Before a stream is tried again that failed for no fault of the answer; doubled each time. */
  retryWaitMs?: number;
  /** The most that a call can cost; null when there is no price for the model. */
  priceOf(
    model: string,
    tokens: { input: number; output: number; cacheWrite?: number },
  ): number | null;
  /** About how long a stream takes, for the order of starting. */
  weightOf?(task: RunTask): number;
  apply: WriteMode;
  review?: Review;
  /** Instead, the changes of a stream are looked through in the browser before they are written. */
  reviewInBrowser?: { command: string };
  /** Streams whose files are touched later are checked again; on unless it is false. */
  recheck?: boolean;
  /** How many streams may be checked at the same time. */
  verifyConcurrency?: number;
  selection: Selection;
  /** What the user agreed to run; by default all that the manifest has at the start. */
  commands?: ReadonlySet<string>;
  /** Where commands run in the sandbox: how. */
  sandbox?: CommandSandboxOptions;
  /** Where streams of the run name agents: which there are, and where they work. */
  agents?: AgentSetting;
  env: NodeJS.ProcessEnv;
  scrub(text: string): string;
  warm: boolean;
  /** Answers to the same question are used again; unless it is false. */
  cache?: boolean;
  /** Of a run that a runner makes for a request: what was answered to the runs of that request. */
  requestAnswers?: RequestAnswers;
  /** The repository's instructions are part of every prompt; unless it is false. */
  instructions?: boolean;
  /** Copies of attempts that are not done are still there after the run. */
  keepCopies?: boolean;
  /** Shows the text of the answers as it comes. */
  isLive: boolean;
  /** Finished streams become commits. */
  git?: GitWork;
  now(): Date;
  stop: AbortSignal;
  /** Where the run is reported while it runs; nowhere if it is left out. */
  reporter?: RunReporter;
  onEvent(event: RunEvent): void;
}

/** The streams of the run, each with the state that it begins in. */
export interface PlannedRun {
  streams: RunStream[];
  tasks: Map<string, RunTask>;
  waves: Map<string, number>;
  /** Skipped only because others were named. */
  leftOut: Set<string>;
  /** Fixes that the journal does not know yet. */
  missed: FixStream[];
}

export interface RunContext extends ProjectPlace, PlannedRun {
  options: RunOptions;
  runId: string;
  isResumed: boolean;
  startedAt: number;
  /** The path of the manifest in the project. */
  file: string;
  manifest: Manifest;
  order: StreamOrder;
  /** Kept up to date by every event. */
  replay: Replay;
  /** It works on a branch, in a folder of its own, which is then the root. */
  branch: OpenedBranch['branch'] | undefined;
  /** What is reported once the run has started. */
  notes: readonly RunEventBody[];
  commands: ReadonlySet<string>;
  /** Files that no stream may write: the manifest itself. */
  protectedPaths: string[];
  /** Files that several streams read and none writes. */
  sharedReads: SharedReads;
  /** Of the repository, as they were when the run began. */
  instructions: Instructions;
  scheduler: Scheduler;
  callsAtOnce: AdaptiveConcurrency;
  caller: ModelCaller;
  collector: ContextCollector;
  reader: FileReader;
  cap: RunCap;
  lane: FileLane;
  /** Undefined where nothing of the run needs one. */
  runSandbox: RunSandbox | undefined;
  /** Undefined where commands run as the user does. */
  commandSandbox: CommandSandbox | undefined;
  /** The first of the ports that the commands in this place of the lane may use. */
  portsFor(place: number): Promise<number>;
  warmUp: CacheWarmUp;
  unused: UnusedAnswers;
  answers: AnswerCache;
  checkpoint: Checkpoint;
  /** Shown at once, kept in the journal. */
  emit(event: RunEventBody): RunEvent;
  /** The same, and on disk when it returns: for what the next step depends on. */
  record(event: RunEventBody): Promise<RunEvent>;
  /** Resolves when all events so far are on disk. */
  settled(): Promise<void>;
}

/** What a stream that is resumed after a crash had done already. */
export interface OpenAttempt {
  calls: readonly OpenCall[];
  applied: boolean;
}

/** One attempt at a stream. */
export interface Attempt {
  task: RunTask;
  wave: number;
  attempt: number;
  open: OpenAttempt | undefined;
  fix: FixDetails | undefined;
  /** Stopped from outside, or out of time. */
  signal: AbortSignal;
  clock: StreamClock;
  /** Of an agent. */
  copy: AttemptCopy;
  /** The model has answered: what is left of the stream needs none. */
  onAnswered(): void;
}

export interface RunEnd {
  runId: string;
  status: Extract<RunStatus, 'complete' | 'failed' | 'cancelled' | 'paused'>;
  halt: Halt | undefined;
  totals: RunTotals;
}
