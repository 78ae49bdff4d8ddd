// What one run works on, from its first event to its last.
import type { Manifest } from '../../manifest/model.ts';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import type { StreamOrder } from '../../manifest/plan.ts';
import type { Replay } from '../../domain/run/replay.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import type { RunOptions } from './run-options.ts';
import type { UnusedAnswers } from './ask-model.ts';

export interface Scene {
  runId: string;
  isResumed: boolean;
  options: RunOptions;
  file: string;
  manifest: Manifest;
  order: StreamOrder;
  replay: Replay;
  emit(body: RunEventBody): RunEvent;
  /** Resolves when all that was told so far is on disk. */
  settled(): Promise<void>;
  checkpoint: Checkpoint;
  /** Set once there is something that a changed manifest can change. */
  edited: { onEdited(text: string): void };
  unused: UnusedAnswers;
  /** What is to be said once the run has started. */
  notes: readonly RunEventBody[];
}
