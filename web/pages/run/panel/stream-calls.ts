// The model calls and the commands of a stream and of its fixes, from the events of the run.
import type { CommandPhase, RunEvent } from '../../../../src/contract/run-events.ts';

export interface StreamCall {
  streamId: string;
  attempt: number;
  call: number;
  jobId: string;
}

export interface StreamCheck {
  seq: number;
  streamId: string;
  attempt: number;
  phase: CommandPhase;
  command: string;
  /** Undefined while it runs. */
  result:
    | {
        ok: boolean;
        exitCode: number | null;
        timedOut: boolean;
        durationMs: number;
        output: string;
      }
    | undefined;
}

export function callsIn(events: readonly RunEvent[], ids: ReadonlySet<string>): StreamCall[] {
  const calls: StreamCall[] = [];
  for (const event of events) {
    if (event.type !== 'stream.job' || !ids.has(event.stream)) continue;
    const { stream: streamId, attempt, call, jobId } = event;
    // A call that is joined again after a restart is told twice.
    if (!calls.some((each) => each.jobId === jobId)) calls.push({ streamId, attempt, call, jobId });
  }
  return calls;
}

export function checksIn(events: readonly RunEvent[], streamId: string): StreamCheck[] {
  const checks: StreamCheck[] = [];
  for (const event of events) {
    if (event.type === 'command.started' && event.stream === streamId) {
      const { seq, attempt, phase, command } = event;
      checks.push({ seq, streamId, attempt, phase, command, result: undefined });
    }
    if (event.type !== 'command.finished' || event.stream !== streamId) continue;
    const open = checks.findLast(
      (check) => check.command === event.command && check.result === undefined,
    );
    if (open === undefined) continue;
    const { ok, exitCode, timedOut, durationMs, output = '' } = event;
    open.result = { ok, exitCode, timedOut, durationMs, output };
  }
  return checks;
}
