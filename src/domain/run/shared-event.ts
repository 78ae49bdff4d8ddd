// What a visitor with a link may know of an event: how the run goes, never what was asked, answered, run or
// printed. What is not named here is left out, so that a field of a later version stays private.
import type { FileChangeSummary, RunEvent, RunTotals } from '../../contract/run-events.ts';

const PRIVATE = '';

const estimateOf = ({ estimatedUsd }: { estimatedUsd?: number | null | undefined }) =>
  estimatedUsd === undefined ? {} : { estimatedUsd };

export function sharedEvent(event: RunEvent, withFiles: boolean): RunEvent | undefined {
  const { v, seq, ts } = event;
  const head = { v, seq, ts } as const;
  const paths = (files: readonly string[]) => (withFiles ? [...files] : []);
  const changes = (files: readonly FileChangeSummary[]) => (withFiles ? [...files] : []);
  const sums = (totals: RunTotals): RunTotals => ({
    ...totals,
    filesChanged: paths(totals.filesChanged),
  });
  switch (event.type) {
    case 'run.started': {
      const { type, runId, manifest, notation, model, simulated, concurrency, resumed } = event;
      const streams = event.streams.map(({ id, name, wave, status, waitsFor }) => {
        return { id, name, wave, status, waitsFor };
      });
      const rest = { notation, model, simulated, concurrency, resumed, url: PRIVATE, streams };
      return { ...head, type, runId, manifest, file: PRIVATE, ...rest };
    }
    case 'stream.started': {
      const { type, stream, attempt, wave } = event;
      return { ...head, type, stream, attempt, wave };
    }
    case 'stream.call': {
      const { type, stream, attempt, call } = event;
      return { ...head, type, stream, attempt, call, key: PRIVATE, reservedUsd: null };
    }
    case 'stream.waiting': {
      const { type, stream, attempt, reason, until } = event;
      return { ...head, type, stream, attempt, reason, ...(until === undefined ? {} : { until }) };
    }
    case 'stream.answer': {
      const { type, stream, attempt, call, ok, tokens, costUsd } = event;
      return { ...head, type, stream, attempt, call, ok, tokens, costUsd, ...estimateOf(event) };
    }
    case 'stream.cached': {
      const { type, stream, attempt, call, tokens, savedUsd } = event;
      return { ...head, type, stream, attempt, call, tokens, savedUsd };
    }
    case 'stream.applied': {
      const { type, stream, attempt } = event;
      return { ...head, type, stream, attempt, files: changes(event.files) };
    }
    case 'stream.rolled_back':
    case 'stream.postponed': {
      const { type, stream, attempt } = event;
      return { ...head, type, stream, attempt, reason: PRIVATE };
    }
    case 'command.started': {
      const { type, stream, attempt, phase } = event;
      return { ...head, type, stream, attempt, phase, command: phase };
    }
    case 'command.finished': {
      const { type, stream, attempt, phase, ok, exitCode, timedOut, durationMs, critical } = event;
      const rest = { ok, exitCode, timedOut, durationMs, critical };
      return { ...head, type, stream, attempt, phase, command: phase, ...rest };
    }
    case 'stream.completed': {
      const { type, stream, attempt, wave, durationMs, tokens, costUsd } = event;
      const rest = { wave, durationMs, tokens, costUsd, files: paths(event.files) };
      return { ...head, type, stream, attempt, ...rest, ...estimateOf(event) };
    }
    case 'stream.failed': {
      const { type, stream, attempt, wave, durationMs, tokens, costUsd, retryable, mayFix } = event;
      const rest = { wave, durationMs, tokens, costUsd, retryable, mayFix, class: event.class };
      return {
        ...head,
        type,
        stream,
        attempt,
        error: 'The attempt failed',
        ...rest,
        ...estimateOf(event),
      };
    }
    case 'stream.denied': {
      const { type, stream, attempt, wave, durationMs, tokens, costUsd, what, denied } = event;
      const rest = { wave, durationMs, tokens, costUsd, what, denied };
      return { ...head, type, stream, attempt, ...rest, error: 'It was not approved' };
    }
    case 'stream.fix': {
      const { type, stream, fix, attempt, of } = event;
      return { ...head, type, stream, fix, attempt, of };
    }
    case 'stream.status': {
      const { type, stream, from, to, cause } = event;
      return { ...head, type, stream, from, to, cause };
    }
    case 'run.reverted': {
      const { type, streams } = event;
      return { ...head, type, files: paths(event.files), streams };
    }
    case 'run.reviewed': {
      const { type, accepted, rejected, commits, round, comments, fixes } = event;
      const asked = { ...(round !== undefined && { round, comments, fixes }) };
      return { ...head, type, files: paths(event.files), accepted, rejected, commits, ...asked };
    }
    case 'run.paused':
      return { ...head, type: event.type, totals: sums(event.totals), reason: PRIVATE };
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return { ...head, type: event.type, totals: sums(event.totals) };
    case 'agent.turn': {
      const { type, stream, attempt, turn, ok, durationMs } = event;
      return { ...head, type, stream, attempt, turn, ok, durationMs };
    }
    case 'agent.session':
    case 'agent.tool':
    case 'agent.refused':
    case 'agent.message':
    case 'agent.thought':
    case 'agent.changed':
    case 'run.note':
    case 'stream.context':
    case 'stream.job':
    case 'stream.committed':
    case 'stream.progress':
      return undefined;
    default:
      // Of a newer version: nobody has decided what it may tell.
      return undefined;
  }
}
