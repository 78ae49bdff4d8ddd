// What the supervisor and its processes tell each other. Siblings have a pipe of their own (sibling-hub).
import type { Config } from '../../config/config.ts';
import type { MetricsJson } from '../../platform/metrics.ts';
import type { SharedBySiblings } from '../siblings.ts';

/** What a process starts with. */
export interface Start extends SharedBySiblings {
  config: Config;
  /** Its own, such as `all 1`. */
  name: string;
}

/** Why a process could not start, ready to be shown. */
export interface StartFailure {
  code: string;
  message: string;
  hint?: string;
  exit: number;
}

export type ToProcess =
  | { kind: 'start'; start: Start }
  /** Why the server as a whole is not ready, if it is not. */
  | { kind: 'readiness'; problem: string | undefined }
  | { kind: 'measure'; id: number }
  | { kind: 'all-measured'; id: number; all: MetricsJson[] }
  /** Takes no new jobs and is not ready, but still answers requests. */
  | { kind: 'begin-stop' }
  | { kind: 'stop' };

export type FromProcess =
  | { kind: 'ready'; url: string | undefined; healthUrl: string | undefined }
  | { kind: 'failed'; failure: StartFailure }
  | { kind: 'measure-all'; id: number }
  | { kind: 'measured'; id: number; metrics: MetricsJson };
