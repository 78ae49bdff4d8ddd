// The first event of a run, as a manifest of these streams would report it.
import type { RunEventBody } from '../../src/contract/run-events.ts';

type Started = Extract<RunEventBody, { type: 'run.started' }>;

export function runStarted(streams: Started['streams']): Started {
  return {
    type: 'run.started',
    runId: 'r',
    manifest: 'M',
    file: 'm.yaml',
    notation: 'B',
    model: 'sim-fast',
    simulated: true,
    concurrency: 1,
    resumed: false,
    url: '',
    streams,
  };
}
