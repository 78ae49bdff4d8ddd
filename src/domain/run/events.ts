// What happens in a run, in order. The same lines are the journal on disk, the output of
// `run --json` and what `watch`, `status`, `logs` and `explain` read. Readers leave out types that
// they do not know.
import type { StreamStatus } from '../../manifest/model.ts';

export interface Tokens {
  input: number;
  output: number;
  cachedInput: number;
}

export interface FileChangeSummary {
  path: string;
  kind: 'create' | 'edit' | 'delete';
  additions: number;
  deletions: number;
}

export interface RunTotals {
  streams: Record<StreamStatus, number>;
  fixes: number;
  tokens: Tokens;
  /** Null when a price is not known. */
  costUsd: number | null;
  /** What the calls with a known price came to. */
  knownCostUsd: number;
  /** Calls whose cost is not known. */
  unpricedCalls: number;
  durationMs: number;
  filesChanged: string[];
}

export interface ListedStream {
  id: string;
  name: string;
  wave: number;
  status: StreamStatus;
  waitsFor: string[];
  /** Skipped only because other streams were named; counts as done for those that wait for it. */
  leftOut?: true;
}

/** Streams that were named on the command line; empty lists mean all. */
export interface NamedStreams {
  only: readonly string[];
  from: readonly string[];
}

export type CommandPhase = 'setup' | 'verify' | 'command';

type OfStream<Type extends string, More = unknown> = { type: Type; stream: string } & More;
type OfAttempt<Type extends string, More = unknown> = OfStream<Type, { attempt: number } & More>;

export type RunEventBody =
  | {
      type: 'run.started';
      runId: string;
      manifest: string;
      file: string;
      notation: 'A' | 'B';
      model: string;
      simulated: boolean;
      concurrency: number;
      resumed: boolean;
      url: string;
      /** Missing when no streams were named. */
      named?: NamedStreams;
      streams: ListedStream[];
    }
  | {
      type: 'run.note';
      level: 'info' | 'warning';
      code: string;
      message: string;
      /** The stream it is about, when it is about one. */
      about?: string;
    }
  | OfAttempt<'stream.started', { wave: number }>
  /** What the model is shown, and what had to be left out. */
  | OfAttempt<
      'stream.context',
      { files: number; tokens: number; omitted: { path: string; reason: string }[] }
    >
  /** A call is about to be made; the key makes the server know it again. */
  | OfAttempt<'stream.call', { call: number; key: string; reservedUsd: number | null }>
  | OfAttempt<'stream.job', { call: number; jobId: string }>
  /** Shown only, not kept. */
  | OfAttempt<'stream.progress', { outputTokens: number }>
  | OfAttempt<
      'stream.answer',
      { call: number; ok: boolean; tokens: Tokens; costUsd: number | null; error?: string }
    >
  | OfAttempt<'stream.applied', { files: FileChangeSummary[] }>
  | OfAttempt<'stream.rolled_back', { reason: string }>
  | OfAttempt<'command.started', { phase: CommandPhase; command: string }>
  | OfAttempt<
      'command.finished',
      {
        phase: CommandPhase;
        command: string;
        ok: boolean;
        exitCode: number | null;
        timedOut: boolean;
        durationMs: number;
        critical: boolean;
        /** The end of what it printed, when it failed. */
        output?: string;
      }
    >
  | OfAttempt<
      'stream.completed',
      {
        wave: number;
        durationMs: number;
        tokens: Tokens;
        costUsd: number | null;
        files: string[];
        appliedAt?: string;
        /** The answer was kept and not applied. */
        kept?: true;
      }
    >
  | OfAttempt<
      'stream.failed',
      {
        wave: number;
        error: string;
        class: string;
        retryable: boolean;
        /** Whether a fix stream may be tried, as far as the error goes. */
        mayFix: boolean;
        durationMs: number;
        tokens: Tokens;
        costUsd: number | null;
      }
    >
  /** It could not be tried, and waits for another place. */
  | OfAttempt<'stream.postponed', { reason: string }>
  | OfStream<'stream.fix', { fix: string; attempt: number; of: number }>
  | OfStream<'stream.status', { from: StreamStatus; to: StreamStatus; cause: string }>
  | { type: 'run.paused'; reason: string; totals: RunTotals }
  | { type: 'run.completed' | 'run.failed' | 'run.cancelled'; totals: RunTotals; reason?: string };

export type RunEvent = { v: 1; seq: number; ts: string } & RunEventBody;
export type RunEventType = RunEventBody['type'];

const ENDS: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
]);

export function isRunEnd(event: { type: string }): boolean {
  return ENDS.has(event.type);
}

export type RunEndEvent = Extract<RunEvent, { totals: RunTotals }>;

/** How a run ended; undefined while it is on, or when it was cut off. */
export function endOf(events: readonly RunEvent[]): RunEndEvent | undefined {
  const last = events.at(-1);
  return last !== undefined && isRunEnd(last) ? (last as RunEndEvent) : undefined;
}
