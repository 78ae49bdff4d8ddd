// Why a run failed.
import { decisiveLines } from '../../domain/run/decisive-lines.ts';
import { lastTry, passedModels } from '../../domain/run/projection.ts';
import type { RunProjection, StreamRow } from '../../domain/run/projection.ts';
import type { StreamStatus } from '../../manifest/model.ts';
import type { RunState } from './find-run.ts';

export interface FailureExplanation {
  stream: string;
  attempts: number;
  /** The command that failed, and how; missing when it was none. */
  command?: { command: string; outcome: string };
  error: string | undefined;
  /** What kind of failure it was. */
  class: string | undefined;
  /** Lines of the output that say why. */
  output: string[];
  fixes: { id: string; status: StreamStatus; model?: string }[];
  /** Streams that wait for it in vain. */
  blocked: string[];
  alsoFailed: string[];
}

export interface Explanation {
  runId: string;
  file: string;
  /** Flags that it was started with. */
  args: readonly string[];
  status: RunState;
  /** Why the run itself stopped, where it says so. */
  reason: string | undefined;
  /** Of streams with several models: which ones completed how many of them. */
  passed: { model: string; streams: number }[];
  /** The first stream that failed, if one did. */
  failure: FailureExplanation | undefined;
}

const MOST_OUTPUT = 2;

export function explainRun(projection: RunProjection, status: RunState): Explanation {
  const { runId, file, args, end } = projection;
  const reason = end && 'reason' in end && end.reason ? end.reason : undefined;
  const hasFailed = status !== 'complete' && status !== 'running';
  return {
    runId,
    file,
    args,
    status,
    reason,
    passed: passedModels(projection),
    failure: hasFailed ? failureOf(projection) : undefined,
  };
}

function failureOf(projection: RunProjection): FailureExplanation | undefined {
  const rows = [...projection.streams.values()].filter(({ fixOf }) => fixOf === undefined);
  const withStatus = (wanted: StreamStatus) => rows.filter(({ status }) => status === wanted);
  const [row, ...others] = withStatus('failed').sort((a, b) => a.wave - b.wave);
  if (row === undefined) return undefined;
  const last = lastTry(projection, row);
  const ids = (list: readonly StreamRow[]) => list.map(({ id }) => id);
  const { failedCommand } = last;
  return {
    stream: row.id,
    attempts: row.fixes.length + 1,
    ...(failedCommand && {
      command: { command: failedCommand.command, outcome: failedCommand.outcome },
    }),
    error: last.error,
    class: last.failureClass,
    output: failedCommand ? decisiveLines(failedCommand.output, MOST_OUTPUT) : [],
    fixes: row.fixes.map((id) => {
      const { status = 'pending', rung } = projection.streams.get(id) ?? {};
      return { id, status, ...(rung && { model: rung.model }) };
    }),
    blocked: ids(withStatus('blocked')),
    alsoFailed: ids(others),
  };
}
