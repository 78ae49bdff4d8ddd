// Journals of runs that never happened, for the views.
import type { RunEvent, RunEventBody } from '../../src/contract/run-events.ts';

export interface Script {
  events: RunEvent[];
  /** Seconds since the start. */
  at(seconds: number, ...bodies: RunEventBody[]): void;
}

export const START = Date.parse('2026-11-15T12:00:00.000Z');
export const RUN_ID = 'run_01k9zzzzzzfhevx0000000000a';

export function createScript(): Script {
  const events: RunEvent[] = [];
  return {
    events,
    at(seconds, ...bodies) {
      for (const body of bodies) {
        const ts = new Date(START + seconds * 1000).toISOString();
        events.push({ v: 1, seq: events.length + 1, ts, ...body });
      }
    },
  };
}

export function startOf(
  streams: readonly (readonly [id: string, wave: number, waitsFor?: string[]])[],
): RunEventBody {
  return {
    type: 'run.started',
    runId: RUN_ID,
    manifest: 'Shelves',
    file: 'feature.yaml',
    notation: 'B',
    model: 'sim-fast',
    simulated: true,
    concurrency: 8,
    resumed: false,
    url: 'http://127.0.0.1:4747',
    streams: streams.map(([id, wave, waitsFor = []]) => ({
      id,
      name: `About ${id}`,
      wave,
      status: 'pending',
      waitsFor,
    })),
  };
}

const USED = { tokens: { input: 800, output: 150, cachedInput: 0 }, costUsd: 0.0123 };

export const began = (stream: string, wave: number, attempt = 1): RunEventBody => ({
  type: 'stream.started',
  stream,
  wave,
  attempt,
});

export const answered = (stream: string, attempt = 1): RunEventBody => ({
  type: 'stream.answer',
  stream,
  attempt,
  call: 1,
  ok: true,
  ...USED,
});

export const completed = (stream: string, wave: number, attempt = 1): RunEventBody => ({
  type: 'stream.completed',
  stream,
  attempt,
  wave,
  durationMs: 1000,
  ...USED,
  files: [`src/${stream}.ts`],
  appliedAt: '2026-11-15T12:00:01.000Z',
});

export const failed = (stream: string, wave: number, attempt = 1): RunEventBody => ({
  type: 'stream.failed',
  stream,
  attempt,
  wave,
  error: 'npm test exited with 1',
  class: 'verification',
  retryable: true,
  mayFix: true,
  durationMs: 1200,
  ...USED,
});

export const commandFailed = (stream: string, output: string, attempt = 1): RunEventBody => ({
  type: 'command.finished',
  stream,
  attempt,
  phase: 'verify',
  command: 'npm test',
  ok: false,
  exitCode: 1,
  timedOut: false,
  durationMs: 300,
  critical: true,
  output,
});
