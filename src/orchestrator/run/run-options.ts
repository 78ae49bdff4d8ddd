// What a run is asked to do, and how it ends.
import type { MillraceClient } from '../../client/index.ts';
import type { RunStatus } from '../../contract/history-api.ts';
import type { RunEvent, RunTotals } from '../../contract/run-events.ts';
import type { Pace } from '../../domain/run/pace.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { Halt } from './model-caller.ts';
import type { Selection } from './prepare.ts';
import type { KnownPlan } from './read-plan.ts';
import type { ApplyMode, Review } from './run-deps.ts';
import type { ModelDefaults, RunTask } from './task.ts';

export interface RunOptions extends ModelDefaults, ProjectPlace {
  /** Absolute. */
  manifestFile: string;
  /** Of somebody who has read it already; it may have been edited since. */
  plan?: KnownPlan;
  client: MillraceClient;
  url: string;
  newRunId(): string;
  concurrency: number;
  /** Learns how many calls to make at once; told of limits by whoever made the client. */
  pace?: Pace;
  laneLimits?: ReadonlyMap<string, number>;
  laneOf(model: string): string;
  maxCostUsd: number | undefined;
  maxAttempts?: number;
  priceOf(model: string, tokens: { input: number; output: number }): number | null;
  /** About how long a stream takes, for the order of starting. */
  weightOf?(task: RunTask): number;
  apply: ApplyMode;
  review?: Review;
  selection: Selection;
  /** What the user agreed to run; by default all that the manifest has at the start. */
  commands?: ReadonlySet<string>;
  env: NodeJS.ProcessEnv;
  scrub(text: string): string;
  warm: boolean;
  /** Shows the text of the answers as it comes. */
  isLive: boolean;
  onComplete?(task: RunTask, files: readonly string[]): Promise<void>;
  now(): Date;
  stop: AbortSignal;
  onEvent(event: RunEvent): void;
}

export interface RunEnd {
  runId: string;
  status: Extract<RunStatus, 'complete' | 'failed' | 'cancelled' | 'paused'>;
  halt: Halt | undefined;
  totals: RunTotals;
}
